package io.ocicat.netlink.tc;

import java.nio.ByteOrder;

/**
 * The position of a filter: its link, parent qdisc or class, priority and protocol. One position
 * holds filters of one kind.
 *
 * @param link index of the link
 * @param parent a qdisc such as {@code 1:} or {@code ffff:}, or a class, or {@link
 *     Handle#CLSACT_INGRESS} and {@link Handle#CLSACT_EGRESS}
 * @param priority 1 to 65535; the lowest number is tried first
 */
public record FilterPosition(int link, Handle parent, int priority, EtherType protocol) {
  public FilterPosition {
    if (priority < 1 || priority > 0xffff) {
      throw new IllegalArgumentException("a filter's priority must be 1 to 65535, not " + priority);
    }
  }

  static FilterPosition read(int link, Handle parent, int info) {
    return new FilterPosition(
        link, parent, info >>> 16, new EtherType(networkOrder(info & 0xffff)));
  }

  /** tcm_info: priority above, protocol below in the byte order of packets. */
  int info() {
    return priority << 16 | networkOrder(protocol.number());
  }

  private static int networkOrder(int number) {
    return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
        ? number
        : Short.toUnsignedInt(Short.reverseBytes((short) number));
  }

  /** For instance {@code dev 7 parent ffff: protocol all pref 1}. */
  @Override
  public String toString() {
    return "dev %d parent %s protocol %s pref %d".formatted(link, parent, protocol, priority);
  }
}
