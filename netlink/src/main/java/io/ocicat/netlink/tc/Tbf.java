package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * The qdisc tbf, a token bucket filter: limits packets to a rate, with bursts after a pause; the
 * rest waits in a queue of limited length. Settings are read back exactly as they were sent.
 *
 * @param buffer the bucket's depth in ticks of 64 ns, as the kernel keeps it; {@link #burst} is the
 *     same in bytes
 * @param limit the most bytes that wait before packets are dropped
 */
public record Tbf(Rate rate, long buffer, long limit) implements QdiscOptions {
  static final String KIND = "tbf";
  private static final int PARMS = 1;
  private static final int RATE_64 = 4;
  // struct tc_tbf_qopt: rate, peak rate, limit, buffer, MTU.
  private static final int LIMIT = 2 * RateSpec.SIZE;
  private static final int BUFFER = LIMIT + 4;
  private static final int SIZE = BUFFER + 8;

  public Tbf {
    Ticks.check("token bucket", buffer);
    Ticks.checkU32("queue limit", limit);
  }

  /**
   * A bucket with a queue of that many bytes.
   *
   * @param burst bytes; a packet larger than this never passes, so at least the link's MTU
   */
  public static Tbf withLimit(Rate rate, long burst, long limit) {
    return new Tbf(rate, Ticks.toSend(burst, rate), limit);
  }

  /** A bucket in whose queue no packet waits longer than that. */
  public static Tbf withLatency(Rate rate, long burst, Duration latency) {
    long buffer = Ticks.toSend(burst, rate);
    double seconds = latency.toNanos() / 1e9 + buffer * Ticks.NANOS / 1e9;
    if (latency.isNegative() || seconds * rate.bytesPerSecond() > Ticks.MAX) {
      throw new IllegalArgumentException(
          "a token bucket of %s and %d bytes cannot have a latency of %s: its queue must be 0 to %d bytes"
              .formatted(rate, burst, latency, Ticks.MAX));
    }
    long nanos = latency.toNanos() + buffer * Ticks.NANOS;
    return new Tbf(rate, buffer, Math.ceilDiv(nanos * rate.bytesPerSecond(), 1_000_000_000));
  }

  /** The largest burst a bucket of that rate can have, in bytes. */
  public static long largestBurst(Rate rate) {
    return Ticks.largestBurst(rate);
  }

  /** The bucket's depth in bytes. */
  public long burst() {
    return Ticks.bytesIn(buffer, rate);
  }

  /**
   * How long a packet at the end of a full queue waits; zero when the bucket holds more than it.
   */
  public Duration latency() {
    double nanos = limit * 1e9 / rate.bytesPerSecond() - buffer * Ticks.NANOS;
    return Duration.ofNanos(Math.max(0, Math.round(nanos)));
  }

  @Override
  public String kind() {
    return KIND;
  }

  static Optional<Tbf> read(Attributes options) {
    return options.structure(PARMS, SIZE).map(in -> read(in, options));
  }

  private static Tbf read(ByteBuffer in, Attributes options) {
    return new Tbf(
        RateSpec.read(in, 0, options, RATE_64),
        Integer.toUnsignedLong(in.getInt(BUFFER)),
        Integer.toUnsignedLong(in.getInt(LIMIT)));
  }

  /**
   * Without TCA_TBF_BURST: from a number of bytes the kernel would compute a depth of its own,
   * rounded down twice, and tc would show one or a few bytes less than were asked for.
   */
  void write(MessageWriter out) {
    out.structure(
        PARMS,
        () -> {
          RateSpec.write(out, rate);
          out.zeros(RateSpec.SIZE).field32((int) limit).field32((int) buffer).field32(0);
        });
    if (!rate.fitsOldField()) {
      out.u64(RATE_64, rate.bytesPerSecond());
    }
  }

  /** For instance {@code tbf rate 8Mbit burst 100000b limit 125000b}. */
  @Override
  public String toString() {
    return KIND + " rate " + rate + " burst " + burst() + "b limit " + limit + "b";
  }
}
