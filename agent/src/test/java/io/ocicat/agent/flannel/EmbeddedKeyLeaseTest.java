package io.ocicat.agent.flannel;

import static java.util.Objects.requireNonNull;

import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EmbeddedKeyLeaseTest extends KeyLeaseSuite {
  private @Nullable KeyValueStore store;

  @BeforeEach
  void open() {
    store = EmbeddedStore.open(folder.resolve("datastore"));
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
  void everythingIsReadAgainAfterACompaction() {
    store().commit(Transaction.put("/net/a", "1"));
    CompactingStore compacting = new CompactingStore(store());
    try (KeyFollower follower = new KeyFollower(compacting, "/net/", () -> {})) {
      Eventually.await("read", () -> follower.keys().isPresent());
      // Nobody is told of this one, because the first watch is over.
      store().commit(Transaction.delete("/net/a"));
      store().commit(Transaction.put("/net/b", "2"));
      compacting.compact();
      Eventually.await(
          "the change",
          () -> follower.keys().orElseThrow().entries().keySet().equals(Set.of("/net/b")));
      store().commit(Transaction.put("/net/c", "3"));
      Eventually.await("a watch", () -> follower.keys().orElseThrow().entries().size() == 2);
    }
  }
}
