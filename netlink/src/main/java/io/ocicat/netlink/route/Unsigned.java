package io.ocicat.netlink.route;

/** The 32-bit numbers of the kernel, which Java keeps in a long. */
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
