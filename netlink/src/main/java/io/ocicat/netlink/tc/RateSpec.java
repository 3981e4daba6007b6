package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.nio.ByteBuffer;

/**
 * Reads and writes struct tc_ratespec. With the link layer set, the kernel needs no rate table
 * (RTAB, CTAB, PTAB): since 3.8 it computes times itself and would use the table only to guess that
 * layer.
 */
final class RateSpec {
  static final int SIZE = 12;
  private static final int ETHERNET = 1;
  private static final int RATE = 8;

  private RateSpec() {}

  static void write(MessageWriter out, Rate rate) {
    out.field8(0).field8(ETHERNET).zeros(RATE - 2).field32(rate.inOldField());
  }

  /**
   * Reads the rate at an offset of a structure.
   *
   * @param rate64 the attribute that has the whole rate when it exceeds 32 bits
   */
  static Rate read(ByteBuffer in, int at, Attributes options, int rate64) {
    long old = Integer.toUnsignedLong(in.getInt(at + RATE));
    return Rate.ofUnsigned(options.u64(rate64, old));
  }
}
