package io.ocicat.netlink.route;

/** A mark and mask, which select packets whose mark has this value in the bits of the mask. */
public record Fwmark(int value, int mask) {
  private static final int ALL = 0xffff_ffff;

  public static Fwmark of(int value) {
    return new Fwmark(value, ALL);
  }

  /** As in {@code 0x1}, or {@code 0x1/0xff} when not all bits matter. */
  @Override
  public String toString() {
    return "0x"
        + Integer.toHexString(value)
        + (mask == ALL ? "" : "/0x" + Integer.toHexString(mask));
  }
}
