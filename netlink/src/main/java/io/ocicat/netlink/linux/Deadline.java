package io.ocicat.netlink.linux;

import java.time.Duration;

/** The time at which a wait ends, or never. */
final class Deadline {
  private static final Deadline NEVER = new Deadline(Duration.ZERO, 0, true);

  private final Duration limit;
  private final long end;
  private final boolean never;

  private Deadline(Duration limit, long end, boolean never) {
    this.limit = limit;
    this.end = end;
    this.never = never;
  }

  static Deadline never() {
    return NEVER;
  }

  /** Limits of years count as for ever: they would overflow the clock. */
  static Deadline after(Duration limit) {
    return limit.toDays() > 365
        ? NEVER
        : new Deadline(limit, System.nanoTime() + limit.toNanos(), false);
  }

  boolean isNever() {
    return never;
  }

  /** 0 when it has passed. */
  long remainingNanos() {
    return never ? Long.MAX_VALUE : Math.max(0, end - System.nanoTime());
  }

  /** The original limit, for instance {@code 1500 ms}. */
  @Override
  public String toString() {
    return never ? "ever" : limit.toMillis() + " ms";
  }
}
