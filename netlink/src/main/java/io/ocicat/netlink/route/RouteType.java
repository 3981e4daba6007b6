package io.ocicat.netlink.route;

/** What happens to packets a route matches (linux/rtnetlink.h, rtm_type). */
public record RouteType(int number) {
  /** Sent on to a next hop. */
  public static final RouteType UNICAST = new RouteType(1);

  /** Delivered: the destination is this host. */
  public static final RouteType LOCAL = new RouteType(2);

  public static final RouteType BROADCAST = new RouteType(3);
  public static final RouteType ANYCAST = new RouteType(4);
  public static final RouteType MULTICAST = new RouteType(5);

  /** Silently dropped. */
  public static final RouteType BLACKHOLE = new RouteType(6);

  /** Rejected with "host unreachable". */
  public static final RouteType UNREACHABLE = new RouteType(7);

  /** Rejected with "administratively prohibited". */
  public static final RouteType PROHIBIT = new RouteType(8);

  /** Not in this table: the next rule decides. */
  public static final RouteType THROW = new RouteType(9);

  public RouteType {
    if (number < 0 || number > 255) {
      throw new IllegalArgumentException("a route's type is 0–255, not " + number);
    }
  }

  @Override
  public String toString() {
    return switch (number) {
      case 1 -> "unicast";
      case 2 -> "local";
      case 3 -> "broadcast";
      case 4 -> "anycast";
      case 5 -> "multicast";
      case 6 -> "blackhole";
      case 7 -> "unreachable";
      case 8 -> "prohibit";
      case 9 -> "throw";
      default -> "type " + number;
    };
  }
}
