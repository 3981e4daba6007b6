package io.ocicat.plugins.calicoipam;

import io.ocicat.plugins.calico.LocalEtcd;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class EtcdCalicoIpamTest extends CalicoIpamContract {
  @SuppressWarnings("NullAway.Init") // by start
  private static LocalEtcd etcd;

  @SuppressWarnings("NullAway.Init") // by start
  private static Cluster cluster;

  @BeforeAll
  static void start(@TempDir Path files) {
    etcd = LocalEtcd.start(files.resolve("etcd"));
    cluster = Cluster.etcd(etcd.url(), files);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    etcd.close();
  }

  @Override
  Cluster cluster() {
    return cluster;
  }
}
