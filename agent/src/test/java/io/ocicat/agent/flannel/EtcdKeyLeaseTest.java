package io.ocicat.agent.flannel;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.etcd.EtcdStore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EtcdKeyLeaseTest extends KeyLeaseSuite {
  /** One for all tests, since its start takes longer than any of them. */
  private static final Etcd ETCD = new Etcd();

  private @Nullable KeyValueStore store;

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
    store =
        EtcdStore.open(
            new DatastoreConfig.Etcd(
                List.of(ETCD.url()), "", "", new Secret(""), DatastoreConfig.Tls.NONE));
  }

  @AfterEach
  void close() {
    store().close();
  }

  @Override
  KeyValueStore store() {
    return requireNonNull(store);
  }

  @Test
  void aRestartAndACompactionLoseNoChange() {
    try (KeyFollower follower = new KeyFollower(store(), "/net/", () -> {})) {
      store().commit(Transaction.put("/net/a", "1"));
      Eventually.await("a", () -> has(follower, "/net/a", "1"));
      ETCD.restart();
      long revision = 0;
      for (int i = 0; i < 20; i++) {
        revision = store().commit(Transaction.put("/net/b", "" + i)).revision();
      }
      store().commit(Transaction.delete("/net/a"));
      ETCD.post("kv/compaction", "{\"revision\":%d}".formatted(revision));
      Eventually.await("b", () -> has(follower, "/net/b", "19"));
      Eventually.await(
          "a is gone", () -> !follower.keys().orElseThrow().entries().containsKey("/net/a"));
      assertThat(follower.problem()).isEmpty();
    }
  }

  private static boolean has(KeyFollower follower, String key, String value) {
    return follower
        .keys()
        .map(keys -> keys.entries().get(key))
        .filter(entry -> entry.value().equals(value))
        .isPresent();
  }
}
