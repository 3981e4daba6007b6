package io.ocicat.netlink.nft;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * An immutable byte string: the content of a register, a key or an attribute. Equal by content,
 * ordered as the kernel orders them (memcmp).
 */
public final class Bytes implements Comparable<Bytes> {
  private static final int FNV_BASIS = 0x811c9dc5;
  private static final int FNV_PRIME = 0x01000193;

  private final byte[] content;

  private Bytes(byte[] content) {
    this.content = content;
  }

  public static Bytes of(byte... content) {
    return new Bytes(content.clone());
  }

  public static Bytes zeros(int length) {
    return new Bytes(new byte[length]);
  }

  public int length() {
    return content.length;
  }

  public byte[] toByteArray() {
    return content.clone();
  }

  /** The part from {@code from} on, {@code length} bytes of it. */
  public Bytes slice(int from, int length) {
    return new Bytes(Arrays.copyOfRange(content, from, from + length));
  }

  boolean isAllOnes() {
    for (byte b : content) {
      if (b != -1) {
        return false;
      }
    }
    return true;
  }

  /** Plus one, as an unsigned number; wraps around to zero. */
  Bytes next() {
    byte[] sum = content.clone();
    int at = sum.length - 1;
    while (at >= 0 && ++sum[at] == 0) {
      at--;
    }
    return new Bytes(sum);
  }

  /** Minus one, as an unsigned number; wraps around from zero. */
  Bytes previous() {
    byte[] difference = content.clone();
    int at = difference.length - 1;
    while (at >= 0 && difference[at]-- == 0) {
      at--;
    }
    return new Bytes(difference);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(content, other.content);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(content, that.content);
  }

  /** FNV-1a: the usual hash of arrays is the same for many addresses of one network. */
  @Override
  public int hashCode() {
    int hash = FNV_BASIS;
    for (byte b : content) {
      hash = (hash ^ b) * FNV_PRIME;
    }
    return hash;
  }

  /** Hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(content);
  }
}
