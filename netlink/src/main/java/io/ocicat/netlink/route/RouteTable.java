package io.ocicat.netlink.route;

/** The routing tables every namespace has. Any other 32-bit number is a table as well. */
public final class RouteTable {
  public static final int DEFAULT = 253;
  public static final int MAIN = 254;

  /** Kept by the kernel: the host's own addresses. */
  public static final int LOCAL = 255;

  private static final int LARGEST_IN_HEADER = 255;
  private static final int SEE_ATTRIBUTE = 252;

  private RouteTable() {}

  /** The number for a header's one byte, which is too small for most tables. */
  static int inHeader(int table) {
    return Integer.compareUnsigned(table, LARGEST_IN_HEADER) > 0 ? SEE_ATTRIBUTE : table;
  }

  static String name(int table) {
    return switch (table) {
      case DEFAULT -> "default";
      case MAIN -> "main";
      case LOCAL -> "local";
      default -> Integer.toUnsignedString(table);
    };
  }
}
