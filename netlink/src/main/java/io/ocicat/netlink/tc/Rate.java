package io.ocicat.netlink.tc;

/**
 * A data rate. The kernel counts bytes per second, people and tc use bits: this type prevents
 * mixing them up.
 */
public record Rate(long bytesPerSecond) implements Comparable<Rate> {
  private static final String[] UNITS = {"bit", "Kbit", "Mbit", "Gbit", "Tbit"};

  public Rate {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a rate must be at least 1 byte per second, not " + bytesPerSecond);
    }
  }

  public static Rate ofBytes(long perSecond) {
    return new Rate(perSecond);
  }

  /** Bits that do not fill a byte are dropped; fewer than 8 are no rate. */
  public static Rate ofBits(long perSecond) {
    if (perSecond < Byte.SIZE) {
      throw new IllegalArgumentException(
          "a rate must be at least 8 bits per second, not " + perSecond);
    }
    return new Rate(perSecond / Byte.SIZE);
  }

  /**
   * From the kernel's unsigned number. Half of 2^64 is no real rate, but must be readable all the
   * same.
   */
  static Rate ofUnsigned(long bytesPerSecond) {
    return new Rate(bytesPerSecond < 0 ? Long.MAX_VALUE : bytesPerSecond);
  }

  /** In the old structures: 32 bits, all set when the rate is in an attribute. */
  int inOldField() {
    return fitsOldField() ? (int) bytesPerSecond : -1;
  }

  boolean fitsOldField() {
    return bytesPerSecond >>> Integer.SIZE == 0;
  }

  @Override
  public int compareTo(Rate other) {
    return Long.compare(bytesPerSecond, other.bytesPerSecond);
  }

  /** In the largest unit that needs no fraction: {@code 8Mbit}, {@code 1500Kbit}. */
  @Override
  public String toString() {
    if (bytesPerSecond > Long.MAX_VALUE / Byte.SIZE) {
      return bytesPerSecond + "byte/s";
    }
    long number = bytesPerSecond * Byte.SIZE;
    int unit = 0;
    while (unit < UNITS.length - 1 && number % 1000 == 0) {
      number /= 1000;
      unit++;
    }
    return number + UNITS[unit];
  }
}
