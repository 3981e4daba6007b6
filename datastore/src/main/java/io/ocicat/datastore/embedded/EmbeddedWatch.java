package io.ocicat.datastore.embedded;

import io.ocicat.datastore.kv.KeyValueWatch;
import java.time.Duration;

/**
 * A watch that reads the table of entries from its position on after each notification. Nothing is
 * buffered.
 */
final class EmbeddedWatch implements KeyValueWatch {
  private final EmbeddedStore store;
  private final ChangeNotifier notifier;
  private final String prefix;
  private long next;
  private volatile boolean closed;

  EmbeddedWatch(EmbeddedStore store, ChangeNotifier notifier, String prefix, long from) {
    this.store = store;
    this.notifier = notifier;
    this.prefix = prefix;
    this.next = from;
  }

  @Override
  public Batch next(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      if (closed) {
        throw new IllegalStateException("the watch of " + prefix + " is closed");
      }
      long seen = notifier.count();
      Batch batch = store.changes(prefix, next);
      next = batch.revision() + 1;
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!batch.events().isEmpty() || !left.isPositive()) {
        return batch;
      }
      notifier.await(seen, left);
    }
  }

  @Override
  public void close() {
    closed = true;
    notifier.wake();
  }
}
