package io.ocicat.plugins.bandwidth;

import io.ocicat.base.json.JsonFields;
import io.ocicat.netlink.tc.Rate;
import io.ocicat.netlink.tc.Tbf;
import java.math.BigInteger;
import java.util.Optional;

/**
 * The rate limit of one direction and the token bucket that enforces it. The bucket's numbers are
 * those of the Go plugin, including the truncated microseconds, because CHECK of either plugin
 * compares them. They differ only where Go's make no sense: where its 32 bits overflow, and where a
 * packet of full size would never pass.
 *
 * @param burst bytes, less than 2^32
 */
record DirectionLimit(Rate rate, long burst) {
  private static final BigInteger BITS_PER_BYTE = BigInteger.valueOf(Byte.SIZE);
  private static final long MAX = 0xffff_ffffL;
  private static final BigInteger TOO_MUCH = BigInteger.valueOf(MAX);
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long TICK_NANOS = 64;

  /** Packets wait 25 ms at most: the queue holds a fortieth of a second. */
  private static final long QUEUES_PER_SECOND = 40;

  /** Counted by the token bucket, but not part of an MTU. */
  private static final int ETHERNET_HEADER = 14;

  /**
   * The limit of one direction, in bits; empty when neither rate nor burst is set or both are 0.
   */
  static Optional<DirectionLimit> read(JsonFields in, String rateKey, String burstKey) {
    int problems = in.problems().count();
    BigInteger rate = in.unsigned64(rateKey).or(BigInteger.ZERO);
    BigInteger burst = in.unsigned64(burstKey).or(BigInteger.ZERO);
    if (in.problems().count() > problems || (isZero(rate) && isZero(burst))) {
      return Optional.empty();
    }
    if (isZero(burst)) {
      in.problem(burstKey, "is missing: if rate is set, burst must also be set");
    } else if (isZero(rate)) {
      in.problem(rateKey, "is missing: if burst is set, rate must also be set");
    } else if (rate.compareTo(BITS_PER_BYTE) < 0) {
      in.problem(rateKey, "must be at least 8 bits per second, or 0 for no limit, not " + rate);
    } else if (burst.divide(BITS_PER_BYTE).compareTo(TOO_MUCH) >= 0) {
      in.problem(burstKey, "is %s bits: burst cannot be more than 4GB".formatted(burst));
    } else {
      long bytesPerSecond = rate.divide(BITS_PER_BYTE).longValueExact();
      long bytes = burst.divide(BITS_PER_BYTE).longValueExact();
      return Optional.of(new DirectionLimit(Rate.ofBytes(bytesPerSecond), bytes));
    }
    return Optional.empty();
  }

  private static boolean isZero(BigInteger number) {
    return number.signum() == 0;
  }

  /** The bucket for a link of that MTU: deep enough for its largest packet. */
  Tbf bucket(int mtu) {
    Tbf asked = new Tbf(rate, Math.min(ticks(micros()), MAX), Math.min(queue(burst), MAX));
    long packet = (long) mtu + ETHERNET_HEADER;
    if (asked.burst() >= packet) {
      return asked;
    }
    // At a few bytes per second a packet takes longer than the clock's 274 seconds: as deep as
    // possible.
    long depth = Math.min(Math.max(packet, burst), Tbf.largestBurst(rate));
    return Tbf.withLimit(rate, depth, Math.min(queue(depth), MAX));
  }

  /** Whether this is the bucket that either plugin creates for the limit. */
  boolean isKeptBy(Tbf found, int mtu) {
    return found.equals(bucket(mtu)) || found.equals(overflowing());
  }

  /** What Go makes of a limit that does not fit 32 bits: on x86-64, the low 32 bits. */
  private Tbf overflowing() {
    return new Tbf(rate, ticks(micros() & MAX) & MAX, queue(burst) & MAX);
  }

  /** How long the burst takes to send at the rate. */
  private long micros() {
    return burst * MICROS_PER_SECOND / rate.bytesPerSecond();
  }

  private static long ticks(long micros) {
    return micros * 1000 / TICK_NANOS;
  }

  private long queue(long depth) {
    return rate.bytesPerSecond() / QUEUES_PER_SECOND + depth;
  }
}
