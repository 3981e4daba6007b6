package io.ocicat.ipam;

import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A key-value store in memory without history: for tests with very many operations. */
final class MemoryStore implements KeyValueStore {
  private final TreeMap<String, KeyValue> entries = new TreeMap<>();
  private long revision = 1;
  private Consumer<List<Change>> listener = _ -> {};

  /** Sets a listener for commits, called before anybody else can see them. */
  void listen(Consumer<List<Change>> listener) {
    this.listener = listener;
  }

  @Override
  public synchronized Optional<KeyValue> get(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  @Override
  public synchronized KeyValuePage range(RangeQuery query) {
    List<KeyValue> found = new ArrayList<>();
    boolean more = false;
    String from = query.after().isEmpty() ? query.prefix() : query.after() + "\0";
    for (Map.Entry<String, KeyValue> entry : entries.tailMap(from).entrySet()) {
      if (!entry.getKey().startsWith(query.prefix())) {
        break;
      }
      if (query.limit() > 0 && found.size() == query.limit()) {
        more = true;
        break;
      }
      found.add(entry.getValue());
    }
    return new KeyValuePage(revision, found, more);
  }

  @Override
  public synchronized TransactionOutcome commit(Transaction transaction) {
    Map<String, KeyValue> current = new HashMap<>();
    boolean holds = true;
    for (Condition condition : transaction.conditions()) {
      KeyValue there = entries.get(condition.key());
      if (there != null) {
        current.put(condition.key(), there);
      }
      holds &= condition.modified() == (there == null ? 0 : there.modified());
    }
    if (!holds) {
      return new TransactionOutcome.Refused(revision, current);
    }
    long next = revision + 1;
    List<KeyValue> deleted = new ArrayList<>();
    boolean changed = false;
    for (Change change : transaction.changes()) {
      switch (change) {
        case Change.Put put -> {
          KeyValue before = entries.get(put.key());
          long created = before == null ? next : before.created();
          entries.put(put.key(), new KeyValue(put.key(), put.value(), created, next, 0));
          changed = true;
        }
        case Change.Delete delete -> {
          KeyValue before = entries.remove(delete.key());
          if (before != null) {
            deleted.add(before);
            changed = true;
          }
        }
      }
    }
    revision = changed ? next : revision;
    listener.accept(transaction.changes());
    return new TransactionOutcome.Committed(revision, deleted);
  }

  /** Delivers nothing: watched caches are as old as they may be. */
  @Override
  public KeyValueWatch watch(String prefix, long from) {
    return new KeyValueWatch() {
      @Override
      public Batch next(Duration timeout) {
        throw new IllegalStateException("this store has no watches");
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public long grantLease(Duration ttl) {
    throw new UnsupportedOperationException("this store has no leases");
  }

  @Override
  public void keepAlive(long lease) {
    throw new UnsupportedOperationException("this store has no leases");
  }

  @Override
  public void revokeLease(long lease) {
    throw new UnsupportedOperationException("this store has no leases");
  }

  @Override
  public void close() {}
}
