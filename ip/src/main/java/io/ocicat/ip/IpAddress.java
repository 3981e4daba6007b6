package io.ocicat.ip;

import java.math.BigInteger;
import java.util.Optional;

/**
 * An IPv4 or IPv6 address: 128 unsigned bits and a family. Never resolves names, has no zones. IPv4
 * sorts before IPv6. An IPv4-mapped address (::ffff:10.0.0.1) is an IPv6 address; {@link #unmap()}
 * converts it. Immutable.
 */
public final class IpAddress implements Comparable<IpAddress> {
  private final boolean v6;
  private final long high;
  private final long low;

  private IpAddress(boolean v6, long high, long low) {
    this.v6 = v6;
    this.high = high;
    this.low = low;
  }

  /** The IPv4 address of these 32 bits, 10.0.0.1 being 0x0a000001. */
  public static IpAddress ofV4(int bits) {
    return new IpAddress(false, 0, Integer.toUnsignedLong(bits));
  }

  public static IpAddress ofV6(long high, long low) {
    return new IpAddress(true, high, low);
  }

  /** From 4 or 16 bytes in network order. */
  public static IpAddress ofBytes(byte[] bytes) {
    return switch (bytes.length) {
      case 4 -> ofV4((int) word(bytes, 0, 4));
      case 16 -> ofV6(word(bytes, 0, 8), word(bytes, 8, 16));
      default ->
          throw new IllegalArgumentException(
              "an IP address has 4 or 16 bytes, not " + bytes.length);
    };
  }

  private static long word(byte[] bytes, int from, int to) {
    long word = 0;
    for (int i = from; i < to; i++) {
      word = word << 8 | (bytes[i] & 0xff);
    }
    return word;
  }

  /**
   * Parses strictly: no leading zeros in IPv4 numbers, no zone, no white space, IPv6 by RFC 4291.
   *
   * @throws IllegalArgumentException saying which text was rejected and why
   */
  public static IpAddress parse(String text) {
    return IpText.parse(text);
  }

  public static Optional<IpAddress> tryParse(String text) {
    return Parsing.attempt(text, IpAddress::parse);
  }

  public boolean isV4() {
    return !v6;
  }

  public boolean isV6() {
    return v6;
  }

  /** 32 or 128. */
  public int bitLength() {
    return v6 ? 128 : 32;
  }

  /** The upper 64 bits; 0 for IPv4. */
  public long high() {
    return high;
  }

  /** The lower 64 bits; for IPv4 the whole address. */
  public long low() {
    return low;
  }

  /** 4 or 16 bytes in network order. */
  public byte[] toByteArray() {
    byte[] bytes = new byte[v6 ? 16 : 4];
    long rest = low;
    for (int i = bytes.length - 1; i >= 0; i--) {
      bytes[i] = (byte) rest;
      rest = i == 8 ? high : rest >>> 8;
    }
    return bytes;
  }

  public boolean isV4Mapped() {
    return v6 && high == 0 && low >>> 32 == 0xffff;
  }

  /** The IPv4 address inside ::ffff:a.b.c.d; any other address is returned as it is. */
  public IpAddress unmap() {
    return isV4Mapped() ? ofV4((int) low) : this;
  }

  public boolean isUnspecified() {
    return high == 0 && low == 0;
  }

  /** In 127.0.0.0/8 or ::1. A mapped address counts as the IPv4 address inside, here and below. */
  public boolean isLoopback() {
    IpAddress plain = unmap();
    return plain.v6 ? plain.high == 0 && plain.low == 1 : plain.low >>> 24 == 127;
  }

  /** In 169.254.0.0/16 or fe80::/10. */
  public boolean isLinkLocal() {
    IpAddress plain = unmap();
    return plain.v6 ? plain.high >>> 54 == 0xfe80 >>> 6 : plain.low >>> 16 == 0xa9fe;
  }

  /** In 224.0.0.0/4 or ff00::/8. */
  public boolean isMulticast() {
    IpAddress plain = unmap();
    return plain.v6 ? plain.high >>> 56 == 0xff : plain.low >>> 28 == 0xe;
  }

  /**
   * The address after this one.
   *
   * @throws ArithmeticException at the last address of the family
   */
  public IpAddress next() {
    return plus(1);
  }

  /**
   * The address before this one.
   *
   * @throws ArithmeticException at the first address of the family
   */
  public IpAddress previous() {
    return plus(-1);
  }

  /**
   * The address {@code offset} steps further, or back when negative.
   *
   * @throws ArithmeticException when that leaves the family's range
   */
  public IpAddress plus(long offset) {
    long newLow = low + offset;
    if (!v6) {
      // An offset so large that the sum wraps makes it negative: rejected as well.
      if (newLow < 0 || newLow > 0xffff_ffffL) {
        throw outOfRange(offset);
      }
      return new IpAddress(false, 0, newLow);
    }
    boolean carry = offset > 0 && Long.compareUnsigned(newLow, low) < 0;
    boolean borrow = offset < 0 && Long.compareUnsigned(newLow, low) > 0;
    if ((carry && high == -1) || (borrow && high == 0)) {
      throw outOfRange(offset);
    }
    return ofV6(carry ? high + 1 : borrow ? high - 1 : high, newLow);
  }

  private ArithmeticException outOfRange(long offset) {
    return new ArithmeticException("there is no address " + offset + " steps from " + this);
  }

  /** The number of steps from {@code other} to this one; negative when other is greater. */
  public BigInteger minus(IpAddress other) {
    if (v6 != other.v6) {
      throw new IllegalArgumentException(
          "no distance between " + other + " and " + this + ": not the same family");
    }
    return toBigInteger().subtract(other.toBigInteger());
  }

  private BigInteger toBigInteger() {
    return new BigInteger(1, toByteArray());
  }

  /** This address with every bit after the first {@code length} cleared. */
  IpAddress keepBits(int length) {
    return v6
        ? ofV6(high & highBits(length), low & highBits(length - 64))
        : ofV4((int) (low & highBits(length + 32)));
  }

  /** This address with every bit after the first {@code length} set. */
  IpAddress fillBits(int length) {
    return v6
        ? ofV6(high | ~highBits(length), low | ~highBits(length - 64))
        : ofV4((int) (low | ~highBits(length + 32)));
  }

  /** A word whose first {@code count} bits are set; Java's shift alone would wrap at 64. */
  private static long highBits(int count) {
    if (count <= 0) {
      return 0;
    }
    return count >= 64 ? -1 : -1L << (64 - count);
  }

  @Override
  public int compareTo(IpAddress other) {
    if (v6 != other.v6) {
      return v6 ? 1 : -1;
    }
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IpAddress that && v6 == that.v6 && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(high) + Long.hashCode(low) + (v6 ? 1 : 0);
  }

  /** Dotted for IPv4, RFC 5952 for IPv6. */
  @Override
  public String toString() {
    return IpText.print(this);
  }
}
