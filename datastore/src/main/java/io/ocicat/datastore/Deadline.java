package io.ocicat.datastore;

import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;

/** The time by which an engine must return. */
public record Deadline(long nanos) {

  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  public boolean hasPassed() {
    return left().isZero();
  }

  /** The remaining time, never negative. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
  }

  /** The remaining time, at most {@code limit}. */
  public Duration left(Duration limit) {
    Duration left = left();
    return left.compareTo(limit) < 0 ? left : limit;
  }

  /** Whether at least this much time remains. */
  public boolean allows(Duration time) {
    return left().compareTo(time) > 0;
  }

  /**
   * Sleeps, but not beyond the deadline.
   *
   * @param what the name of what is waited for, as in {@code etcd}
   */
  public void pause(Duration time, String what) {
    try {
      Thread.sleep(left(time));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for " + what, e);
    }
  }
}
