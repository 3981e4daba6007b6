package io.ocicat.base;

import java.time.Duration;

/**
 * The delays before retries: the first one, then twice as long each time, up to the longest. Not
 * thread-safe.
 */
public final class Backoff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  public Backoff(Duration first, Duration longest) {
    if (!first.isPositive() || first.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "backoff from %s to %s: it must start above zero and not shrink"
              .formatted(first, longest));
    }
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** The delay before the next retry; the one after it is longer. */
  public Duration next() {
    Duration delay = next;
    // Compared by halves: twice a long delay may not be a Duration.
    next = delay.compareTo(longest.dividedBy(2)) > 0 ? longest : delay.multipliedBy(2);
    return delay;
  }

  /** Something succeeded: start with the first delay again. */
  public void reset() {
    next = first;
  }
}
