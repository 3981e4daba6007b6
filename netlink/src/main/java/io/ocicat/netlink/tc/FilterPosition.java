package io.ocicat.netlink.tc;

import java.nio.ByteOrder;

/**
 * Where a filter stands: on which link, below which qdisc or class, in which order, for which
 * packets. One place holds filters of one kind.
 *
 * @param link index of the link
 * @param parent a qdisc as {@code 1:} or {@code ffff:}, or a class, or {@link
 *     Handle#CLSACT_INGRESS} and {@link Handle#CLSACT_EGRESS}
 * @param priority 1 to 65535; the lowest number is asked first
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
