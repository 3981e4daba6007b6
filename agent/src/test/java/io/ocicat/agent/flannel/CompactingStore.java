package io.ocicat.agent.flannel;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A store whose first watch delivers nothing, and ends as if what it waits for were compacted. */
final class CompactingStore implements KeyValueStore {
  private final KeyValueStore store;
  private final CountDownLatch compacted = new CountDownLatch(1);
  private boolean watched;

  /** Wraps a store, which it does not own. */
  CompactingStore(KeyValueStore store) {
    this.store = store;
  }

  void compact() {
    compacted.countDown();
  }

  @Override
  public KeyValueWatch watch(String prefix, long from) {
    if (watched) {
      return store.watch(prefix, from);
    }
    watched = true;
    return new KeyValueWatch() {
      @Override
      public Batch next(Duration timeout) {
        try {
          compacted.await();
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
        }
        throw new CompactedException("compacted");
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public Optional<KeyValue> get(String key) {
    return store.get(key);
  }

  @Override
  public KeyValuePage range(RangeQuery query) {
    return store.range(query);
  }

  @Override
  public TransactionOutcome commit(Transaction transaction) {
    return store.commit(transaction);
  }

  @Override
  public long grantLease(Duration ttl) {
    return store.grantLease(ttl);
  }

  @Override
  public void keepAlive(long lease) {
    store.keepAlive(lease);
  }

  @Override
  public void revokeLease(long lease) {
    store.revokeLease(lease);
  }

  @Override
  public void close() {}
}
