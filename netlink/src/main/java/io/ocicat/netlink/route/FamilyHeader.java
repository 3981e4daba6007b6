package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The common part of the four kinds of messages: a family in the first byte, and addresses. */
final class FamilyHeader {
  private FamilyHeader() {}

  /** Whether a message is about IPv4 or IPv6; several other families share these messages. */
  static boolean isIp(NetlinkMessage message) {
    return message.payload().limit() > 0 && family(message).isPresent();
  }

  static IpFamily familyOf(NetlinkMessage message) {
    message.header(1);
    return family(message)
        .orElseThrow(
            () -> NetlinkException.malformed("address family " + number(message) + " is not IP"));
  }

  private static Optional<IpFamily> family(NetlinkMessage message) {
    return IpFamily.ofNumber(number(message));
  }

  private static int number(NetlinkMessage message) {
    return Byte.toUnsignedInt(message.payload().get(0));
  }

  /** The address in an attribute, of the message's family; null when absent. */
  static @Nullable IpAddress address(Attributes attributes, int type, IpFamily family) {
    IpAddress address = attributes.address(type).orElse(null);
    if (address != null && IpFamily.of(address) != family) {
      throw NetlinkException.malformed(
          "attribute %d of an %s message holds %s".formatted(type, family, address));
    }
    return address;
  }

  /** The same with the prefix length from the header; all zero when absent. */
  static IpPrefix prefix(Attributes attributes, int type, IpFamily family, int length) {
    IpAddress address = address(attributes, type, family);
    return IpPrefix.of(address == null ? unspecified(family) : address, length);
  }

  /**
   * Builds a value from what was read. Values reject contradictions; coming from the kernel, those
   * are its fault and not the caller's.
   */
  static <T> T value(Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw NetlinkException.malformed(String.valueOf(e.getMessage()));
    }
  }

  private static IpAddress unspecified(IpFamily family) {
    return switch (family) {
      case V4 -> IpAddress.ofV4(0);
      case V6 -> IpAddress.ofV6(0, 0);
    };
  }
}
