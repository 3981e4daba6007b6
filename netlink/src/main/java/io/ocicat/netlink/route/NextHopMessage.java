package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The next hops of a route on the wire: attributes of the route itself when there is one, an array
 * of struct rtnexthop, each followed by attributes, when there are several.
 */
final class NextHopMessage {
  static final int RTNH_F_ONLINK = 4;

  private static final int RTA_GATEWAY = 5;
  private static final int RTA_MULTIPATH = 9;
  private static final int RTA_VIA = 18;
  private static final int RTNEXTHOP = 8;
  private static final int ATTRIBUTE = 4;
  private static final int RTVIA = 2;

  private NextHopMessage() {}

  static List<NextHop> read(Attributes attributes, IpFamily family, int flags) {
    if (attributes.has(RTA_MULTIPATH)) {
      return readSeveral(attributes.structure(RTA_MULTIPATH, 0).orElseThrow(), family);
    }
    IpAddress gateway = gateway(attributes, family);
    int index = attributes.u32(RouteMessage.RTA_OIF, 0);
    return gateway == null && index == 0 ? List.of() : List.of(hop(gateway, index, flags, 1));
  }

  private static List<NextHop> readSeveral(ByteBuffer in, IpFamily family) {
    List<NextHop> hops = new ArrayList<>();
    int at = 0;
    while (in.limit() - at >= RTNEXTHOP) {
      int length = Short.toUnsignedInt(in.getShort(at));
      if (length < RTNEXTHOP || length > in.limit() - at) {
        throw NetlinkException.malformed(
            "a next hop claims %d bytes where %d are left".formatted(length, in.limit() - at));
      }
      Attributes attributes =
          Attributes.parse(
              in.slice(at + RTNEXTHOP, length - RTNEXTHOP).order(ByteOrder.nativeOrder()));
      hops.add(
          hop(
              gateway(attributes, family),
              in.getInt(at + 4),
              Byte.toUnsignedInt(in.get(at + 2)),
              Byte.toUnsignedInt(in.get(at + 3)) + 1));
      at += Math.min((length + 3) & ~3, in.limit() - at);
    }
    return hops;
  }

  private static NextHop hop(@Nullable IpAddress gateway, int index, int flags, int weight) {
    Device device = index == 0 ? null : Device.of(index);
    return new NextHop(gateway, device, (flags & RTNH_F_ONLINK) != 0, weight);
  }

  private static @Nullable IpAddress gateway(Attributes attributes, IpFamily family) {
    return attributes
        .bytes(RTA_VIA)
        .map(NextHopMessage::viaAddress)
        .orElse(FamilyHeader.address(attributes, RTA_GATEWAY, family));
  }

  private static IpAddress viaAddress(byte[] via) {
    byte[] address = new byte[Math.max(0, via.length - RTVIA)];
    System.arraycopy(via, via.length - address.length, address, 0, address.length);
    return IpAddress.ofBytes(address);
  }

  static void write(MessageWriter out, List<NextHop> hops, IpFamily family) {
    if (hops.size() > 1) {
      out.structure(RTA_MULTIPATH, () -> hops.forEach(hop -> writeOneOfSeveral(out, hop, family)));
      return;
    }
    for (NextHop hop : hops) {
      writeGateway(out, hop.gateway(), family);
      Device device = hop.device();
      if (device != null) {
        out.u32(RouteMessage.RTA_OIF, device.index());
      }
    }
  }

  private static void writeOneOfSeveral(MessageWriter out, NextHop hop, IpFamily family) {
    Device device = hop.device();
    out.field16(RTNEXTHOP + gatewaySize(hop.gateway(), family));
    out.field8(hop.onlink() ? RTNH_F_ONLINK : 0).field8(hop.weight() - 1);
    out.field32(device == null ? 0 : device.index());
    writeGateway(out, hop.gateway(), family);
  }

  /** Including the padding after it. */
  private static int gatewaySize(@Nullable IpAddress gateway, IpFamily family) {
    if (gateway == null) {
      return 0;
    }
    int bytes = gateway.bitLength() / 8;
    return ATTRIBUTE + (IpFamily.of(gateway) == family ? bytes : (RTVIA + bytes + 3) & ~3);
  }

  private static void writeGateway(
      MessageWriter out, @Nullable IpAddress gateway, IpFamily family) {
    if (gateway == null) {
      return;
    }
    byte[] bytes = gateway.toByteArray();
    if (IpFamily.of(gateway) == family) {
      out.bytes(RTA_GATEWAY, bytes);
    } else {
      out.structure(RTA_VIA, () -> out.field16(IpFamily.of(gateway).number()).fieldBytes(bytes));
    }
  }
}
