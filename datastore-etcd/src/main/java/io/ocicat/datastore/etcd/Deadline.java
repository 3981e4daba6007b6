package io.ocicat.datastore.etcd;

import io.ocicat.datastore.UnavailableException;
import java.time.Duration;

/** A moment by which something must have ended. */
record Deadline(long nanos) {

  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  boolean hasPassed() {
    return left().isZero();
  }

  /** Never negative. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
  }

  /** Not longer than {@code limit}. */
  Duration left(Duration limit) {
    Duration left = left();
    return left.compareTo(limit) < 0 ? left : limit;
  }

  /** Waits, but not beyond this. */
  void pause(Duration time) {
    try {
      Thread.sleep(left(time));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for etcd", e);
    }
  }
}
