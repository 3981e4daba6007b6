package io.ocicat.netlink.route;

/**
 * How far away a destination is, or how far an address is valid (linux/rtnetlink.h, enum
 * rt_scope_t). Numbers between the named ones are for administrators. IPv6 has scopes of addresses,
 * which follow from the address, but none of routes.
 */
public record Scope(int number) {
  /** Anywhere; {@code global} in what iproute2 prints. */
  public static final Scope UNIVERSE = new Scope(0);

  public static final Scope SITE = new Scope(200);
  public static final Scope LINK = new Scope(253);
  public static final Scope HOST = new Scope(254);

  /** No scope at all: nothing real has it. */
  public static final Scope NOWHERE = new Scope(255);

  public Scope {
    if (number < 0 || number > 255) {
      throw new IllegalArgumentException("a scope is 0–255, not " + number);
    }
  }

  @Override
  public String toString() {
    return switch (number) {
      case 0 -> "global";
      case 200 -> "site";
      case 253 -> "link";
      case 254 -> "host";
      case 255 -> "nowhere";
      default -> Integer.toString(number);
    };
  }
}
