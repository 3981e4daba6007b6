package io.ocicat.ip;

import java.util.Optional;

/** A 48-bit Ethernet address. Immutable. */
public record MacAddress(long bits) implements Comparable<MacAddress> {
  private static final String WHAT = "a MAC address";
  private static final int BYTES = 6;

  public MacAddress {
    if (bits >>> 48 != 0) {
      throw new IllegalArgumentException(
          "a MAC address has 48 bits, not 0x" + Long.toHexString(bits));
    }
  }

  public static MacAddress ofBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a MAC address has 6 bytes, not " + bytes.length);
    }
    long bits = 0;
    for (byte b : bytes) {
      bits = bits << 8 | (b & 0xff);
    }
    return new MacAddress(bits);
  }

  /**
   * Parses {@code aa:bb:cc:dd:ee:ff}, {@code aa-bb-cc-dd-ee-ff} or {@code aabb.ccdd.eeff}.
   *
   * @throws IllegalArgumentException saying which text was rejected and why
   */
  public static MacAddress parse(String text) {
    char separator = text.length() == 17 ? text.charAt(2) : '.';
    boolean dotted = text.length() == 14;
    if (!dotted && separator != ':' && separator != '-') {
      throw malformed(text);
    }
    int groupDigits = dotted ? 4 : 2;
    long bits = 0;
    for (int i = 0; i < text.length(); i++) {
      if (i % (groupDigits + 1) == groupDigits) {
        if (text.charAt(i) != separator) {
          throw malformed(text);
        }
      } else {
        int digit = Parsing.hexDigit(text.charAt(i));
        if (digit < 0) {
          throw malformed(text);
        }
        bits = bits << 4 | digit;
      }
    }
    return new MacAddress(bits);
  }

  private static IllegalArgumentException malformed(String text) {
    return Parsing.refuse(text, WHAT, "expected six bytes, as in 02:00:5e:10:00:01");
  }

  public static Optional<MacAddress> tryParse(String text) {
    return Parsing.attempt(text, MacAddress::parse);
  }

  public byte[] toByteArray() {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bytes[i] = (byte) (bits >>> (40 - 8 * i));
    }
    return bytes;
  }

  /** A group address, which no interface may have as its own; broadcast is one of them. */
  public boolean isMulticast() {
    return ((bits >>> 40) & 1) != 0;
  }

  public boolean isLocallyAdministered() {
    return ((bits >>> 40) & 2) != 0;
  }

  @Override
  public int compareTo(MacAddress other) {
    return Long.compare(bits, other.bits);
  }

  /** Lower case with colons. */
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder(17);
    for (int shift = 44; shift >= 0; shift -= 4) {
      out.append(Character.forDigit((int) (bits >>> shift) & 0xf, 16));
      if (shift % 8 == 0 && shift > 0) {
        out.append(':');
      }
    }
    return out.toString();
  }
}
