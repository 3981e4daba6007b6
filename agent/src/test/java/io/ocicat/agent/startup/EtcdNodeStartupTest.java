package io.ocicat.agent.startup;

import static java.util.Objects.requireNonNull;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.testkit.Etcd;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class EtcdNodeStartupTest extends NodeStartupSuite {
  /** One for all tests, since its start takes longer than any of them. */
  private static final Etcd ETCD = new Etcd();

  private @Nullable Datastore datastore;

  @BeforeAll
  static void start() {
    ETCD.start();
  }

  @AfterAll
  static void stop() {
    ETCD.close();
  }

  @BeforeEach
  void open() {
    // Every key from the first to the last.
    ETCD.post("kv/deleterange", "{\"key\":\"AA==\",\"range_end\":\"AA==\"}");
    datastore = Datastores.openOwn(config());
  }

  @AfterEach
  void close() {
    datastore().close();
  }

  @Override
  DatastoreConfig config() {
    return new DatastoreConfig.Etcd(
        List.of(ETCD.url()), "", "", new Secret(""), DatastoreConfig.Tls.NONE);
  }

  @Override
  Datastore datastore() {
    return requireNonNull(datastore);
  }

  @Override
  void join(String node) {}
}
