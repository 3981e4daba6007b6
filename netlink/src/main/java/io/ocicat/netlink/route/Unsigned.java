package io.ocicat.netlink.route;

/** Checks the kernel's unsigned 32-bit numbers, which Java holds in a long. */
final class Unsigned {
  private static final long LARGEST = 0xffff_ffffL;

  private Unsigned() {}

  static boolean fits32(long value) {
    return value >= 0 && value <= LARGEST;
  }

  static void check32(String what, long value) {
    if (!fits32(value)) {
      throw refuse32(what, value);
    }
  }

  static IllegalArgumentException refuse32(String what, long value) {
    return new IllegalArgumentException("%s must be 0–%d, not %d".formatted(what, LARGEST, value));
  }
}
