package io.ocicat.netlink.tc;

/**
 * The handle of a qdisc or a class on a link: a major number, the qdisc's, and a minor number, 0
 * for the qdisc itself. Written as tc does, in hexadecimal: {@code 1:} is a qdisc, {@code 1:30} a
 * class of it, whose minor number is 48 in decimal.
 */
public record Handle(int value) {
  /** No handle: on creation the kernel chooses one. */
  public static final Handle NONE = new Handle(0);

  /** The position of the root qdisc, which all packets leaving a link go through. */
  public static final Handle ROOT = new Handle(0xffffffff);

  /** The position of an ingress or clsact qdisc. */
  public static final Handle INGRESS = new Handle(0xfffffff1);

  /** The parent of a clsact qdisc's filters for incoming packets. */
  public static final Handle CLSACT_INGRESS = new Handle(0xfffffff2);

  /** The parent of a clsact qdisc's filters for outgoing packets. */
  public static final Handle CLSACT_EGRESS = new Handle(0xfffffff3);

  private static final int MAX = 0xffff;

  /** A class: both numbers from 0 to 0xffff. */
  public static Handle of(int major, int minor) {
    if (major < 0 || major > MAX || minor < 0 || minor > MAX) {
      throw new IllegalArgumentException(
          "a handle has two numbers from 0 to ffff, not %x and %x".formatted(major, minor));
    }
    return new Handle(major << 16 | minor);
  }

  /** A qdisc: {@code 1:} for 1. */
  public static Handle ofQdisc(int major) {
    return of(major, 0);
  }

  /**
   * Parses what {@link #toString} prints.
   *
   * @throws IllegalArgumentException saying which text was rejected and why
   */
  public static Handle parse(String text) {
    if (text.equals("root")) {
      return ROOT;
    }
    if (text.equals("none")) {
      return NONE;
    }
    int colon = text.indexOf(':');
    if (colon < 0 || text.length() == 1) {
      throw refuse(text);
    }
    return of(number(text, 0, colon), number(text, colon + 1, text.length()));
  }

  /** The class of this qdisc with that minor number. */
  public Handle minor(int minor) {
    return of(major(), minor);
  }

  public int major() {
    return value >>> 16;
  }

  public int minor() {
    return value & MAX;
  }

  private static int number(String text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0 || text.charAt(i) > 'f' || to - from > 4) {
        throw refuse(text);
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static IllegalArgumentException refuse(String text) {
    return new IllegalArgumentException(
        "\""
            + text
            + "\" is not a tc handle: two hexadecimal numbers of at most four digits with a colon"
            + " between them, either of which may be missing, as 1: or 1:30, or root or none");
  }

  @Override
  public String toString() {
    if (equals(ROOT)) {
      return "root";
    }
    if (equals(NONE)) {
      return "none";
    }
    return (major() == 0 ? "" : Integer.toHexString(major()))
        + ":"
        + (minor() == 0 ? "" : Integer.toHexString(minor()));
  }
}
