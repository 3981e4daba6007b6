package io.ocicat.ipam.cluster;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Computes the delay before a retry after a conflict: none at first, then short and random. */
public final class RetryBackoff {
  private static final int IMMEDIATE = 3;
  private static final int LONGEST_MILLIS = 20;

  private final LongSupplier random;

  public RetryBackoff(LongSupplier random) {
    this.random = random;
  }

  public void afterConflict(int conflicts) {
    if (conflicts < IMMEDIATE) {
      return;
    }
    long most = Math.min(LONGEST_MILLIS, conflicts) * 1_000_000L;
    try {
      Thread.sleep(Duration.ofNanos(Math.floorMod(random.getAsLong(), most)));
    } catch (InterruptedException _) {
      // The next blocking call of the datastore will notice.
      Thread.currentThread().interrupt();
    }
  }
}
