package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A class of an {@link Htb}, with a guaranteed rate and a ceiling.
 *
 * @param rate what it is guaranteed
 * @param ceiling what it may send when its parent has tokens to lend
 * @param buffer depth of the bucket for the rate in ticks of 64 ns; {@link #burst()} is the same in
 *     bytes
 * @param ceilingBuffer depth of the bucket for the ceiling, in ticks
 * @param priority 0 to 7; of classes that may send, those with the lowest number go first
 * @param quantum bytes it sends in its turn; 0 lets the kernel divide the rate
 */
public record HtbClass(
    Rate rate, Rate ceiling, long buffer, long ceilingBuffer, int priority, int quantum)
    implements ClassOptions {
  static final String KIND = "htb";

  /** tc's default: an Ethernet frame and some room. */
  private static final int USUAL_BURST = 1600;

  private static final int LOWEST_PRIORITY = 7;
  private static final int PARMS = 1;
  private static final int RATE_64 = 6;
  private static final int CEILING_64 = 7;
  // struct tc_htb_opt: rate, ceiling, buffer, its buffer, quantum, level, priority.
  private static final int BUFFER = 2 * RateSpec.SIZE;
  private static final int CEILING_BUFFER = BUFFER + 4;
  private static final int QUANTUM = BUFFER + 8;
  private static final int PRIORITY = BUFFER + 16;
  private static final int SIZE = BUFFER + 20;

  public HtbClass {
    Ticks.check("class's token bucket", buffer);
    Ticks.check("class's token bucket for its ceiling", ceilingBuffer);
    if (priority < 0 || priority > LOWEST_PRIORITY) {
      throw new IllegalArgumentException("an htb class's priority must be 0 to 7, not " + priority);
    }
    if (quantum < 0) {
      throw new IllegalArgumentException("an htb class's quantum cannot be " + quantum);
    }
  }

  /** A class that never gets more than its rate. */
  public static HtbClass of(Rate rate) {
    return of(rate, rate);
  }

  public static HtbClass of(Rate rate, Rate ceiling) {
    if (ceiling.compareTo(rate) < 0) {
      throw new IllegalArgumentException(
          "an htb class's ceiling of " + ceiling + " is below its rate of " + rate);
    }
    return new HtbClass(rate, ceiling, usualBuffer(rate), usualBuffer(ceiling), 0, 0);
  }

  private static long usualBuffer(Rate rate) {
    return Ticks.toSend(Math.min(USUAL_BURST, Ticks.largestBurst(rate)), rate);
  }

  /** With a bucket of that many bytes for the rate. */
  public HtbClass burst(long bytes) {
    long ticks = Ticks.toSend(bytes, rate);
    return new HtbClass(rate, ceiling, ticks, ceilingBuffer, priority, quantum);
  }

  /** With a bucket of that many bytes for the ceiling. */
  public HtbClass ceilingBurst(long bytes) {
    long ticks = Ticks.toSend(bytes, ceiling);
    return new HtbClass(rate, ceiling, buffer, ticks, priority, quantum);
  }

  public HtbClass priority(int number) {
    return new HtbClass(rate, ceiling, buffer, ceilingBuffer, number, quantum);
  }

  public HtbClass quantum(int bytes) {
    return new HtbClass(rate, ceiling, buffer, ceilingBuffer, priority, bytes);
  }

  /** The depth of the bucket for the rate in bytes. */
  public long burst() {
    return Ticks.bytesIn(buffer, rate);
  }

  /** The depth of the bucket for the ceiling in bytes. */
  public long ceilingBurst() {
    return Ticks.bytesIn(ceilingBuffer, ceiling);
  }

  @Override
  public String kind() {
    return KIND;
  }

  static Optional<HtbClass> read(Attributes options) {
    return options.structure(PARMS, SIZE).map(in -> read(in, options));
  }

  private static HtbClass read(ByteBuffer in, Attributes options) {
    return new HtbClass(
        RateSpec.read(in, 0, options, RATE_64),
        RateSpec.read(in, RateSpec.SIZE, options, CEILING_64),
        Integer.toUnsignedLong(in.getInt(BUFFER)),
        Integer.toUnsignedLong(in.getInt(CEILING_BUFFER)),
        in.getInt(PRIORITY),
        in.getInt(QUANTUM));
  }

  void write(MessageWriter out) {
    if (!rate.fitsOldField()) {
      out.u64(RATE_64, rate.bytesPerSecond());
    }
    if (!ceiling.fitsOldField()) {
      out.u64(CEILING_64, ceiling.bytesPerSecond());
    }
    out.structure(
        PARMS,
        () -> {
          RateSpec.write(out, rate);
          RateSpec.write(out, ceiling);
          out.field32((int) buffer).field32((int) ceilingBuffer).field32(quantum);
          out.field32(0).field32(priority);
        });
  }

  /** For instance {@code htb rate 8Mbit ceil 16Mbit burst 1600b cburst 1600b prio 0}. */
  @Override
  public String toString() {
    return "%s rate %s ceil %s burst %db cburst %db prio %d"
        .formatted(KIND, rate, ceiling, burst(), ceilingBurst(), priority);
  }
}
