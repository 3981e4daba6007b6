package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.Optional;

/**
 * The qdisc htb, hierarchical token buckets: {@link HtbClass classes} with a rate each, which lend
 * each other what they do not use.
 *
 * @param defaultClass minor number of the class for packets no filter chose; 0 sends them unshaped
 * @param rateToQuantum what a class's rate is divided by to get the bytes it may send in its turn
 */
public record Htb(int defaultClass, int rateToQuantum) implements QdiscOptions {
  static final String KIND = "htb";

  /** tc's default. */
  private static final int USUAL_RATE_TO_QUANTUM = 10;

  private static final int INIT = 2;
  // struct tc_htb_glob: version, rate to quantum, default class, debug, direct packets.
  private static final int SIZE = 20;
  private static final int RATE_TO_QUANTUM = 4;
  private static final int DEFAULT_CLASS = 8;
  private static final int VERSION = 3;

  public Htb {
    if (rateToQuantum < 1) {
      throw new IllegalArgumentException(
          "an htb's rate to quantum must be at least 1, not " + rateToQuantum);
    }
  }

  public static Htb withDefault(int defaultClass) {
    return new Htb(defaultClass, USUAL_RATE_TO_QUANTUM);
  }

  @Override
  public String kind() {
    return KIND;
  }

  static Optional<Htb> read(Attributes options) {
    return options
        .structure(INIT, SIZE)
        .map(in -> new Htb(in.getInt(DEFAULT_CLASS), in.getInt(RATE_TO_QUANTUM)));
  }

  void write(MessageWriter out) {
    out.structure(
        INIT, () -> out.field32(VERSION).field32(rateToQuantum).field32(defaultClass).zeros(8));
  }

  /** For instance {@code htb default 30 r2q 10}, with the class in hexadecimal as tc has it. */
  @Override
  public String toString() {
    return KIND + " default " + Integer.toHexString(defaultClass) + " r2q " + rateToQuantum;
  }
}
