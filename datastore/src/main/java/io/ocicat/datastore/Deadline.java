package io.ocicat.datastore;

import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;

/** A moment by which an engine must have an answer. */
public record Deadline(long nanos) {

  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  public boolean hasPassed() {
    return left().isZero();
  }

  /** Never negative. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
  }

  /** Not longer than {@code limit}. */
  public Duration left(Duration limit) {
    Duration left = left();
    return left.compareTo(limit) < 0 ? left : limit;
  }

  /** Whether there is so much time left. */
  public boolean allows(Duration time) {
    return left().compareTo(time) > 0;
  }

  /**
   * Waits, but not beyond this.
   *
   * @param what that is waited for, as in {@code etcd}
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
