package io.ocicat.image.archive;

import io.ocicat.image.files.RawName;

/**
 * The fixed block of 512 bytes that begins every entry of a tar archive (POSIX.1-1988 ustar, and
 * what GNU and star made of it).
 */
final class TarHeader {
  static final int SIZE = 512;

  private static final int CHECKSUM = 148;
  private static final int CHECKSUM_END = 156;

  private final byte[] block;

  TarHeader(byte[] block) {
    this.block = block;
  }

  boolean isEmpty() {
    for (byte b : block) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  /** The sum of all bytes with the sum itself as blanks; some old programs added signed bytes. */
  void verify() throws ArchiveException {
    long unsigned = 0;
    long signed = 0;
    for (int i = 0; i < SIZE; i++) {
      byte b = i >= CHECKSUM && i < CHECKSUM_END ? (byte) ' ' : block[i];
      unsigned += Byte.toUnsignedInt(b);
      signed += b;
    }
    long expected = number(CHECKSUM, 8, "checksum");
    if (expected != unsigned && expected != signed) {
      throw new ArchiveException("not a tar archive, or a damaged one: a header's sum is wrong");
    }
  }

  char type() {
    return (char) Byte.toUnsignedInt(block[156]);
  }

  String name() {
    String name = text(0, 100);
    // GNU uses the place of the prefix for other things, and has another magic.
    boolean posix = text(257, 6).equals("ustar") && block[262] == 0;
    String prefix = posix ? text(345, 155) : "";
    return prefix.isEmpty() ? name : prefix + "/" + name;
  }

  String linkName() {
    return text(157, 100);
  }

  int permissions() throws ArchiveException {
    return (int) (number(100, 8, "mode") & 07777);
  }

  long uid() throws ArchiveException {
    return number(108, 8, "uid");
  }

  long gid() throws ArchiveException {
    return number(116, 8, "gid");
  }

  long size() throws ArchiveException {
    return number(124, 12, "size");
  }

  long modified() throws ArchiveException {
    return number(136, 12, "mtime");
  }

  int deviceMajor() throws ArchiveException {
    return (int) Math.min(number(329, 8, "device number"), Integer.MAX_VALUE);
  }

  int deviceMinor() throws ArchiveException {
    return (int) Math.min(number(337, 8, "device number"), Integer.MAX_VALUE);
  }

  private String text(int from, int length) {
    int end = from;
    while (end < from + length && block[end] != 0) {
      end++;
    }
    return RawName.of(block, from, end - from);
  }

  /** Octal digits among blanks and zeros, or, if the first bit is set, a binary number (GNU). */
  private long number(int from, int length, String what) throws ArchiveException {
    if ((block[from] & 0x80) != 0) {
      return binary(from, length, what);
    }
    long value = 0;
    boolean ended = false;
    boolean started = false;
    for (int i = from; i < from + length; i++) {
      byte b = block[i];
      if (b == 0 || b == ' ') {
        ended = started;
      } else if (b >= '0' && b <= '7' && !ended) {
        value = value * 8 + (b - '0');
        started = true;
      } else {
        throw new ArchiveException("a header's " + what + " is not a number");
      }
    }
    return value;
  }

  private long binary(int from, int length, String what) throws ArchiveException {
    boolean negative = (block[from] & 0x40) != 0;
    long value = negative ? -1 : 0;
    for (int i = from; i < from + length; i++) {
      int b = Byte.toUnsignedInt(block[i]);
      if (i == from) {
        b = negative ? b : b & 0x7f;
      }
      long shifted = value << 8;
      if (shifted >> 8 != value) {
        throw new ArchiveException("a header's " + what + " is too large");
      }
      value = shifted | b;
    }
    return value;
  }
}
