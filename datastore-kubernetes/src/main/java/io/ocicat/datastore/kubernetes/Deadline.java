package io.ocicat.datastore.kubernetes;

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

  /** Whether there is so much time left. */
  boolean allows(Duration time) {
    return left().compareTo(time) > 0;
  }
}
