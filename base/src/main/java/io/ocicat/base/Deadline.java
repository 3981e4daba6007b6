package io.ocicat.base;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A moment by which work must be done; unaffected by changes of the system clock. */
public final class Deadline {
  /** Longer than any process lives, and still a number of nanoseconds. */
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

  public static final Deadline NEVER = new Deadline(System::nanoTime, 0, FOREVER);

  private final LongSupplier nanoTime;
  private final long start;
  private final Duration limit;

  private Deadline(LongSupplier nanoTime, long start, Duration limit) {
    this.nanoTime = nanoTime;
    this.start = start;
    this.limit = limit;
  }

  /** That long from now; a negative duration has passed already. */
  public static Deadline in(Duration limit) {
    return in(limit, System::nanoTime);
  }

  static Deadline in(Duration limit, LongSupplier nanoTime) {
    return limit.compareTo(FOREVER) >= 0
        ? NEVER
        : new Deadline(nanoTime, nanoTime.getAsLong(), limit);
  }

  public boolean isNever() {
    return limit.equals(FOREVER);
  }

  public boolean hasPassed() {
    return remaining().isZero();
  }

  /** Zero once it has passed. */
  public Duration remaining() {
    if (isNever()) {
      return FOREVER;
    }
    Duration left = limit.minusNanos(nanoTime.getAsLong() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Not longer than {@code limit}. */
  public Duration remaining(Duration limit) {
    Duration remaining = remaining();
    return remaining.compareTo(limit) < 0 ? remaining : limit;
  }

  /** Whether more than that is left. */
  public boolean allows(Duration time) {
    return remaining().compareTo(time) > 0;
  }

  /** This one, or that long from now when it comes first. */
  public Deadline atMost(Duration other) {
    return other.compareTo(remaining()) < 0 ? in(other, nanoTime) : this;
  }

  /** In milliseconds, or in seconds when it is whole ones. */
  public static String describe(Duration duration) {
    long millis = duration.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  @Override
  public String toString() {
    return isNever() ? "never" : "in " + describe(remaining());
  }
}
