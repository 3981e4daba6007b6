package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import java.nio.file.Path;
import java.util.function.Function;

/** The plugin with files of the test's own, for the tests of plugins that delegate to it. */
public final class LocalCalicoIpam {
  private LocalCalicoIpam() {}

  public static Plugin of(Datastores datastores, Path files) {
    return of(datastores::of, files);
  }

  public static Plugin of(Function<DatastoreConfig, Datastore> datastores, Path files) {
    return new CalicoIpamPlugin(datastores, files.resolve("upgraded"));
  }
}
