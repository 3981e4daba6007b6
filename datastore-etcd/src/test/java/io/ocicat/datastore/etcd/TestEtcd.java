package io.ocicat.datastore.etcd;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import java.util.List;

/** A real etcd for the tests of other modules. */
public final class TestEtcd implements AutoCloseable {
  // Load on the test machine must not cause an election.
  private final EtcdServer server =
      new EtcdServer("--heartbeat-interval", "200", "--election-timeout", "2000");

  public TestEtcd() {
    server.start();
  }

  /** Opens another client, as another process would. */
  public Datastore open() {
    return EtcdStore.openDatastore(EtcdServer.config(server.url()));
  }

  /** Removes all keys. */
  public void clear() {
    try (KeyValueStore store = EtcdStore.open(EtcdServer.config(server.url()))) {
      KeyValuePage page = store.range(RangeQuery.all("/").limit(100));
      while (!page.entries().isEmpty()) {
        List<Change> deletes =
            page.entries().stream().<Change>map(e -> new Change.Delete(e.key())).toList();
        store.commit(new Transaction(List.of(), deletes));
        page = store.range(RangeQuery.all("/").limit(100));
      }
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
