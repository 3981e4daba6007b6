package io.ocicat.datastore.embedded;

import io.ocicat.datastore.kv.KeyValueWatch;
import java.time.Duration;

/** Reads the table of entries from where it is, whenever the bell rings. Nothing is buffered. */
final class EmbeddedWatch implements KeyValueWatch {
  private final EmbeddedStore store;
  private final ChangeNotifier bell;
  private final String prefix;
  private long next;
  private volatile boolean closed;

  EmbeddedWatch(EmbeddedStore store, ChangeNotifier bell, String prefix, long from) {
    this.store = store;
    this.bell = bell;
    this.prefix = prefix;
    this.next = from;
  }

  @Override
  public Batch next(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      if (closed) {
        throw new IllegalStateException("the watch of " + prefix + " is closed");
      }
      long seen = bell.count();
      Batch batch = store.changes(prefix, next);
      next = batch.revision() + 1;
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (!batch.events().isEmpty() || !left.isPositive()) {
        return batch;
      }
      bell.await(seen, left);
    }
  }

  @Override
  public void close() {
    closed = true;
    bell.wake();
  }
}
