package io.ocicat.netlink.route;

/**
 * The origin of a route or rule. From {@link #STATIC} on the kernel only stores the number: a
 * program that owns routes uses one of its own to recognise them. The names are those of iproute2's
 * rt_protos.
 */
public record RouteProtocol(int number) {
  /** Not set: {@link #BOOT} for something new, any when deleting. */
  public static final RouteProtocol UNSPEC = new RouteProtocol(0);

  public static final RouteProtocol REDIRECT = new RouteProtocol(1);
  public static final RouteProtocol KERNEL = new RouteProtocol(2);
  public static final RouteProtocol BOOT = new RouteProtocol(3);
  public static final RouteProtocol STATIC = new RouteProtocol(4);
  public static final RouteProtocol RA = new RouteProtocol(9);
  public static final RouteProtocol BIRD = new RouteProtocol(12);
  public static final RouteProtocol DHCP = new RouteProtocol(16);

  public RouteProtocol {
    if (number < 0 || number > 255) {
      throw new IllegalArgumentException("a route's protocol is 0–255, not " + number);
    }
  }

  /** The value to send for something new. */
  RouteProtocol orBoot() {
    return equals(UNSPEC) ? BOOT : this;
  }

  @Override
  public String toString() {
    return switch (number) {
      case 0 -> "unspec";
      case 1 -> "redirect";
      case 2 -> "kernel";
      case 3 -> "boot";
      case 4 -> "static";
      case 9 -> "ra";
      case 12 -> "bird";
      case 16 -> "dhcp";
      default -> Integer.toString(number);
    };
  }
}
