package io.ocicat.netlink;

import io.ocicat.ip.IpAddress;
import java.util.Optional;

/** The address families IPv4 and IPv6, by their numbers in linux/socket.h. */
public enum IpFamily {
  V4(2),
  V6(10);

  private final int number;

  IpFamily(int number) {
    this.number = number;
  }

  public static IpFamily of(IpAddress address) {
    return address.isV4() ? V4 : V6;
  }

  public static Optional<IpFamily> ofNumber(int number) {
    return switch (number) {
      case 2 -> Optional.of(V4);
      case 10 -> Optional.of(V6);
      default -> Optional.empty();
    };
  }

  /** AF_INET or AF_INET6. */
  public int number() {
    return number;
  }

  /** {@code IPv4} or {@code IPv6}. */
  @Override
  public String toString() {
    return this == V4 ? "IPv4" : "IPv6";
  }
}
