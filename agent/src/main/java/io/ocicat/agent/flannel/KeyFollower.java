package io.ocicat.agent.flannel;

import io.ocicat.base.Backoff;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a copy of all keys with a prefix: reads them, then watches, for ever. Reads them again when
 * the store has compacted what the watch has not seen, and with backoff when it cannot be reached.
 * Thread-safe.
 */
final class KeyFollower implements AutoCloseable {
  /** That the store is out of reach is known after this time. */
  private static final Duration TURN = Duration.ofSeconds(5);

  private final KeyValueStore store;
  private final String prefix;
  private final Runnable changed;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable KeyValueWatch watch;
  private volatile @Nullable Keys keys;
  private volatile @Nullable String problem;
  private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  /** All keys, as of a revision. */
  record Keys(long revision, Map<String, KeyValue> entries) {
    Keys {
      entries = Map.copyOf(entries);
    }
  }

  /**
   * @param changed called after each change of what this returns
   */
  KeyFollower(KeyValueStore store, String prefix, Runnable changed) {
    this.store = store;
    this.prefix = prefix;
    this.changed = changed;
    this.thread = Thread.ofVirtual().name("follow-flannel").start(this::follow);
  }

  /** Empty until they have been read once. */
  Optional<Keys> keys() {
    return Optional.ofNullable(keys);
  }

  Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  private void follow() {
    while (!closed) {
      try {
        KeyValuePage page = store.range(RangeQuery.all(prefix));
        Map<String, KeyValue> entries = new HashMap<>();
        page.entries().forEach(entry -> entries.put(entry.key(), entry));
        publish(page.revision(), entries);
        watchFrom(page.revision(), entries);
      } catch (CompactedException _) {
        // Changes were lost: read everything again.
      } catch (DatastoreException e) {
        failed(e);
      } catch (IllegalStateException e) {
        if (!closed) {
          failed(e);
        }
      }
    }
  }

  /** Returns only by an exception, or when this is closed. */
  private void watchFrom(long revision, Map<String, KeyValue> entries) {
    try (KeyValueWatch opened = store.watch(prefix, revision + 1)) {
      watch = opened;
      while (!closed) {
        KeyValueWatch.Batch batch = opened.next(TURN);
        if (!batch.events().isEmpty()) {
          batch.events().forEach(event -> apply(event, entries));
          publish(batch.revision(), entries);
        }
      }
    } finally {
      watch = null;
    }
  }

  private static void apply(KeyValueEvent event, Map<String, KeyValue> entries) {
    switch (event) {
      case KeyValueEvent.Put(KeyValue entry) -> entries.put(entry.key(), entry);
      case KeyValueEvent.Deleted deleted -> entries.remove(deleted.key());
    }
  }

  private void publish(long revision, Map<String, KeyValue> entries) {
    keys = new Keys(revision, entries);
    problem = null;
    backoff.reset();
    changed.run();
  }

  private void failed(RuntimeException e) {
    problem = String.valueOf(e.getMessage());
    changed.run();
    try {
      Thread.sleep(backoff.next());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    KeyValueWatch open = watch;
    if (open != null) {
      open.close();
    }
    thread.interrupt();
  }
}
