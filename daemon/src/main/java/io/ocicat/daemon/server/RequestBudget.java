package io.ocicat.daemon.server;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the memory of requests bounded. Nearly all of them have a few kilobytes and are never kept
 * waiting; of those that are larger one at a time is in memory, because a document takes many times
 * its length while it is worked on. Who waits for that for too long, or has more than the daemon's
 * memory is made for, is declined, and does the call itself. Thread-safe.
 */
final class LargeRequests {
  /** So many bytes from each of all connections at once are no burden. */
  private static final int LARGE = 32 << 10;

  /** GC of a network with thousands of attachments is smaller. */
  static final int LARGEST = 512 << 10;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Semaphore one = new Semaphore(1, true);

  /** While one connection is served. */
  final class Visit implements AutoCloseable {
    private boolean entered;

    private Visit() {}

    boolean mayRead(int bytes) {
      if (bytes <= LARGE) {
        return true;
      }
      if (bytes > LARGEST) {
        return false;
      }
      try {
        entered = one.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      return entered;
    }

    @Override
    public void close() {
      if (entered) {
        one.release();
      }
    }
  }

  Visit visit() {
    return new Visit();
  }
}
