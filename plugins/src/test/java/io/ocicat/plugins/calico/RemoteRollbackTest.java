package io.ocicat.plugins.calico;

import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The same with a datastore elsewhere, where an endpoint is written while the kernel works: when
 * either fails, both are taken back.
 */
@Hosts
class RemoteRollbackTest extends CalicoRollbackTest {
  @SuppressWarnings("NullAway.Init") // by startEtcd
  private static Etcd etcd;

  @BeforeAll
  static void startEtcd() {
    etcd = new Etcd("--unsafe-no-fsync").start();
  }

  @AfterAll
  static void stopEtcd() {
    etcd.close();
  }

  @Override
  Store openStore(Path directory) {
    return Store.etcd(etcd.url());
  }
}
