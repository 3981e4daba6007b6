package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import java.nio.file.Path;

/** The plugin with files of a test's own, for the tests of plugins that ask it for addresses. */
public final class LocalCalicoIpam {
  private LocalCalicoIpam() {}

  public static Plugin of(Datastores datastores, Path files) {
    return new CalicoIpamPlugin(datastores::of, files.resolve("upgraded"));
  }
}
