package io.ocicat.netlink.tc;

/**
 * Converts between bytes and the scheduler's clock ticks. The depth of a token bucket is sent as
 * the time its content takes to transmit, in ticks of 64 ns: the kernel's PSCHED_SHIFT, which
 * /proc/net/psched publishes and which has not changed since 2.6.31. 32 bits of them are 274
 * seconds.
 *
 * <p>Bytes become ticks rounded up and ticks bytes rounded down, so a burst is read back as it was
 * written wherever a tick is shorter than a byte: up to 15 MB/s. Above, it is read as the next
 * larger burst the clock can express. Among the ticks that mean the same bytes one is chosen that
 * ends a microsecond, if there is any: iproute2 before 6.15 truncates the rest and would show less.
 */
final class Ticks {
  static final int NANOS = 64;
  static final long MAX = 0xffff_ffffL;
  private static final long PER_SECOND = 1_000_000_000 / NANOS;

  private Ticks() {}

  static long toSend(long bytes, Rate rate) {
    checkU32("burst", bytes);
    long ticks = Math.ceilDiv(bytes * PER_SECOND, rate.bytesPerSecond());
    if (bytes < 1 || ticks > MAX) {
      throw new IllegalArgumentException(
          "a burst at %s must be 1 to %d bytes, not %d: the kernel's clock holds 274 seconds of it"
              .formatted(rate, largestBurst(rate), bytes));
    }
    long whole = atEndOfMicrosecond(ticks);
    return whole <= MAX && bytesIn(whole, rate) == bytes ? whole : ticks;
  }

  /** The first tick, from this one on, at which a microsecond is full. */
  private static long atEndOfMicrosecond(long ticks) {
    long micros = Math.ceilDiv(ticks * NANOS, 1000);
    return Math.ceilDiv(micros * 1000, NANOS);
  }

  /** In bytes: what both 32 bits of ticks and the 32 bits of other fields hold. */
  static long largestBurst(Rate rate) {
    return Math.min(bytesIn(MAX, rate), MAX);
  }

  static long bytesIn(long ticks, Rate rate) {
    long rateNumber = rate.bytesPerSecond();
    boolean fits = Math.multiplyHigh(rateNumber, ticks) == 0 && rateNumber * ticks >= 0;
    return fits
        ? rateNumber * ticks / PER_SECOND
        : (long) ((double) rateNumber * ticks / PER_SECOND);
  }

  static void check(String what, long ticks) {
    if (ticks < 0 || ticks > MAX) {
      throw new IllegalArgumentException(
          "a %s must be 0 to %d ticks of 64 ns, not %d".formatted(what, MAX, ticks));
    }
  }

  static void checkU32(String what, long bytes) {
    if (bytes < 0 || bytes > MAX) {
      throw new IllegalArgumentException(
          "a %s must be 0 to %d bytes, not %d".formatted(what, MAX, bytes));
    }
  }
}
