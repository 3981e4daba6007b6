package io.ocicat.plugins.calicoipam;

import io.ocicat.testkit.Etcd;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class EtcdCalicoIpamTest extends CalicoIpamContract implements SharedDatastoreScenarios {
  @SuppressWarnings("NullAway.Init") // by start
  private static Etcd etcd;

  @SuppressWarnings("NullAway.Init") // by start
  private static Cluster cluster;

  @BeforeAll
  static void start(@TempDir Path files) {
    etcd = new Etcd("--unsafe-no-fsync").start();
    cluster = Cluster.etcd(etcd.url(), files);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    etcd.close();
  }

  @Override
  public Cluster cluster() {
    return cluster;
  }
}
