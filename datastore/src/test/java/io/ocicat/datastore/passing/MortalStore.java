package io.ocicat.datastore.passing;

import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Simulates a process that is killed at one of its operations, reads included. */
public final class MortalStore implements KeyValueStore {
  private final KeyValueStore behind;
  private final AtomicInteger left;
  private final boolean before;

  /**
   * Wraps a store, which it does not own.
   *
   * @param operation the first is 0
   * @param before whether it is killed before the operation rather than after it
   */
  public MortalStore(KeyValueStore behind, int operation, boolean before) {
    this.behind = behind;
    this.left = new AtomicInteger(operation);
    this.before = before;
  }

  /** The death of the process. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  private <T> T perform(Supplier<T> operation) {
    boolean dies = left.getAndDecrement() == 0;
    if (dies && before) {
      throw new Killed();
    }
    T result = operation.get();
    if (dies) {
      throw new Killed();
    }
    return result;
  }

  @Override
  public Optional<KeyValue> get(String key) {
    return perform(() -> behind.get(key));
  }

  @Override
  public KeyValuePage range(RangeQuery query) {
    return perform(() -> behind.range(query));
  }

  @Override
  public TransactionOutcome commit(Transaction transaction) {
    return perform(() -> behind.commit(transaction));
  }

  @Override
  public KeyValueWatch watch(String prefix, long from) {
    return behind.watch(prefix, from);
  }

  @Override
  public long grantLease(Duration ttl) {
    return behind.grantLease(ttl);
  }

  @Override
  public void keepAlive(long lease) {
    behind.keepAlive(lease);
  }

  @Override
  public void revokeLease(long lease) {
    behind.revokeLease(lease);
  }

  @Override
  public void close() {}
}
