package io.ocicat.datastore.etcd;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.testkit.Etcd;
import java.io.UncheckedIOException;
import java.util.List;

/** An etcd that elects its leader quickly, since most tests start their own, and clients of it. */
final class EtcdServer extends Etcd {
  EtcdServer(String... options) {
    super("--heartbeat-interval", "20", "--election-timeout", "200");
    with(options);
  }

  /** Ignores etcd's error for a revision that is compacted already. */
  void compact(long revision) {
    try {
      post("kv/compaction", "{\"revision\":\"%d\",\"physical\":true}".formatted(revision));
    } catch (UncheckedIOException e) {
      if (!String.valueOf(e.getMessage()).contains("has been compacted")) {
        throw e;
      }
    }
  }

  EtcdStore open() {
    return EtcdStore.open(config(url()));
  }

  static DatastoreConfig.Etcd config(String... endpoints) {
    return config(DatastoreConfig.Tls.NONE, endpoints);
  }

  static DatastoreConfig.Etcd config(DatastoreConfig.Tls tls, String... endpoints) {
    return new DatastoreConfig.Etcd(List.of(endpoints), "", "", new Secret(""), tls);
  }
}
