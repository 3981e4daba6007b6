package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A route on the wire: struct rtmsg and its attributes (linux/rtnetlink.h). */
final class RouteMessage {
  static final int RTA_DST = 1;
  static final int RTA_SRC = 2;
  static final int RTA_IIF = 3;
  static final int RTA_OIF = 4;
  static final int RTA_TABLE = 15;
  static final int RTA_MARK = 16;

  private static final int HEADER = 12;
  private static final int FLAGS = 8;
  private static final int RTM_F_LOOKUP_TABLE = 0x1000;
  private static final int RTA_PRIORITY = 6;
  private static final int RTA_PREFSRC = 7;
  private static final int RTA_METRICS = 8;
  private static final int RTAX_LOCK = 1;
  private static final int RTAX_MTU = 2;
  private static final int RTAX_ADVMSS = 8;
  private static final int MTU_LOCK = 1 << RTAX_MTU;

  private RouteMessage() {}

  static Route read(NetlinkMessage message) {
    return FamilyHeader.value(() -> parse(message));
  }

  private static Route parse(NetlinkMessage message) {
    ByteBuffer header = message.header(HEADER);
    IpFamily family = FamilyHeader.familyOf(message);
    Attributes attributes = message.attributes(HEADER);
    return new Route(
        FamilyHeader.prefix(attributes, RTA_DST, family, u8(header, 1)),
        new RouteType(u8(header, 7)),
        NextHopMessage.read(attributes, family, header.getInt(FLAGS)),
        FamilyHeader.address(attributes, RTA_PREFSRC, family),
        new Scope(u8(header, 6)),
        new RouteProtocol(u8(header, 5)),
        attributes.u32(RTA_TABLE, u8(header, 4)),
        Integer.toUnsignedLong(attributes.u32(RTA_PRIORITY, 0)),
        metrics(attributes.nested(RTA_METRICS)));
  }

  private static RouteMetrics metrics(Attributes metrics) {
    return new RouteMetrics(
        metrics.u32(RTAX_MTU, 0),
        (metrics.u32(RTAX_LOCK, 0) & MTU_LOCK) != 0,
        metrics.u32(RTAX_ADVMSS, 0));
  }

  private static int u8(ByteBuffer header, int at) {
    return Byte.toUnsignedInt(header.get(at));
  }

  /** A route to be added: unset values get iproute2's defaults. */
  static void writeNew(MessageWriter out, Route route) {
    write(out, route, route.protocol().orBoot(), scopeOf(route));
  }

  /** The route to be deleted: unset values match anything. */
  static void writeName(MessageWriter out, Route route) {
    write(out, route, route.protocol(), route.scope());
  }

  private static Scope scopeOf(Route route) {
    return route.scope().equals(Scope.NOWHERE) ? usualScope(route) : route.scope();
  }

  private static Scope usualScope(Route route) {
    RouteType type = route.type();
    boolean toMany =
        type.equals(RouteType.BROADCAST)
            || type.equals(RouteType.MULTICAST)
            || type.equals(RouteType.ANYCAST);
    boolean direct = route.hops().size() == 1 && route.gateway().isEmpty();
    if (type.equals(RouteType.LOCAL)) {
      return Scope.HOST;
    }
    return toMany || (type.equals(RouteType.UNICAST) && direct) ? Scope.LINK : Scope.UNIVERSE;
  }

  private static void write(MessageWriter out, Route route, RouteProtocol protocol, Scope scope) {
    int length = route.destination().length();
    boolean onlink = route.hops().size() == 1 && route.hops().getFirst().onlink();
    header(out, route.family(), length, 0, route.table());
    out.field8(protocol.number()).field8(scope.number()).field8(route.type().number());
    out.field32(onlink ? NextHopMessage.RTNH_F_ONLINK : 0);
    if (length > 0) {
      out.bytes(RTA_DST, route.destination().address().toByteArray());
    }
    NextHopMessage.write(out, route.hops(), route.family());
    IpAddress source = route.source();
    if (source != null) {
      out.bytes(RTA_PREFSRC, source.toByteArray());
    }
    out.u32(RTA_TABLE, route.table());
    if (route.metric() != 0) {
      out.u32(RTA_PRIORITY, (int) route.metric());
    }
    if (!route.metrics().areNone()) {
      out.nest(RTA_METRICS, () -> writeMetrics(out, route.metrics()));
    }
  }

  private static void writeMetrics(MessageWriter out, RouteMetrics metrics) {
    if (metrics.mtuLocked()) {
      out.u32(RTAX_LOCK, MTU_LOCK);
    }
    if (metrics.mtu() != 0) {
      out.u32(RTAX_MTU, metrics.mtu());
    }
    if (metrics.advmss() != 0) {
      out.u32(RTAX_ADVMSS, metrics.advmss());
    }
  }

  static void writeFilter(MessageWriter out, RouteFilter filter) {
    header(out, filter.family(), 0, 0, filter.table());
    out.field8(filter.protocol().number()).field8(0);
    RouteType type = filter.type();
    out.field8(type == null ? 0 : type.number()).field32(0);
    if (filter.table() != 0) {
      out.u32(RTA_TABLE, filter.table());
    }
    device(out, RTA_OIF, filter.device());
  }

  static void writeLookup(MessageWriter out, RouteLookup lookup) {
    IpAddress source = lookup.source();
    int bits = lookup.destination().bitLength();
    IpFamily family = IpFamily.of(lookup.destination());
    header(out, family, bits, source == null ? 0 : bits, 0);
    // Without this flag, IPv4 claims that every route it finds is in the main table.
    out.zeros(3).field32(family == IpFamily.V4 ? RTM_F_LOOKUP_TABLE : 0);
    out.bytes(RTA_DST, lookup.destination().toByteArray());
    if (source != null) {
      out.bytes(RTA_SRC, source.toByteArray());
    }
    device(out, RTA_IIF, lookup.incoming());
    device(out, RTA_OIF, lookup.outgoing());
    if (lookup.mark() != 0) {
      out.u32(RTA_MARK, lookup.mark());
    }
  }

  private static void header(
      MessageWriter out, IpFamily family, int destination, int source, int table) {
    out.field8(family.number()).field8(destination).field8(source).field8(0);
    out.field8(RouteTable.inHeader(table));
  }

  private static void device(MessageWriter out, int type, @Nullable Device device) {
    if (device != null) {
      out.u32(type, device.index());
    }
  }
}
