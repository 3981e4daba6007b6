package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.conntrack.Transport.Bare;
import io.ocicat.netlink.conntrack.Transport.Icmp;
import io.ocicat.netlink.conntrack.Transport.Ports;
import io.ocicat.netlink.linux.NetlinkException;
import org.jspecify.annotations.Nullable;

/**
 * A connection on the wire: struct nfgenmsg and its attributes
 * (linux/netfilter/nfnetlink_conntrack.h).
 */
final class ConntrackMessage {
  static final int CTA_TUPLE_ORIG = 1;
  static final int CTA_TUPLE_REPLY = 2;
  static final int CTA_TUPLE_IP = 1;
  static final int CTA_TUPLE_PROTO = 2;
  private static final int CTA_IP_V4_SRC = 1;
  private static final int CTA_IP_V4_DST = 2;
  private static final int CTA_IP_V6_SRC = 3;
  private static final int CTA_IP_V6_DST = 4;
  static final int CTA_PROTO_NUM = 1;
  static final int CTA_PROTO_SRC_PORT = 2;
  static final int CTA_PROTO_DST_PORT = 3;

  private static final int HEADER = 4;
  private static final int CTA_TIMEOUT = 7;
  private static final int CTA_MARK = 8;
  private static final int CTA_ID = 12;
  private static final int CTA_ZONE = 18;
  private static final int CTA_MARK_MASK = 21;
  private static final int CTA_FILTER = 25;
  private static final int CTA_FILTER_ORIG_FLAGS = 1;
  private static final int CTA_FILTER_REPLY_FLAGS = 2;
  private static final int CTA_TUPLE_ZONE = 3;
  private static final int CTA_PROTO_ICMP_ID = 4;
  private static final int CTA_PROTO_ICMPV6_ID = 7;

  private ConntrackMessage() {}

  static boolean isIp(NetlinkMessage message) {
    return message.payload().limit() > 0 && IpFamily.ofNumber(message.payload().get(0)).isPresent();
  }

  static ConntrackEntry read(NetlinkMessage message) {
    Attributes attributes = message.attributes(HEADER);
    int zone = attributes.be16(CTA_ZONE, 0);
    try {
      return new ConntrackEntry(
          tuple(attributes, CTA_TUPLE_ORIG, zone),
          tuple(attributes, CTA_TUPLE_REPLY, zone),
          attributes.be32(CTA_MARK, 0),
          Integer.toUnsignedLong(attributes.be32(CTA_TIMEOUT, 0)),
          attributes.be32(CTA_ID, 0));
    } catch (IllegalArgumentException e) {
      // Values reject contradictions; coming from the kernel, those are its fault.
      throw NetlinkException.malformed(String.valueOf(e.getMessage()));
    }
  }

  private static Tuple tuple(Attributes attributes, int type, int zone) {
    Attributes tuple = attributes.nested(type);
    Attributes ip = tuple.nested(CTA_TUPLE_IP);
    boolean v4 = ip.has(CTA_IP_V4_SRC);
    return new Tuple(
        address(ip, v4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC),
        address(ip, v4 ? CTA_IP_V4_DST : CTA_IP_V6_DST),
        transport(tuple.nested(CTA_TUPLE_PROTO)),
        tuple.be16(CTA_TUPLE_ZONE, zone));
  }

  private static IpAddress address(Attributes ip, int type) {
    return ip.address(type)
        .orElseThrow(() -> NetlinkException.malformed("a connection lacks an address"));
  }

  private static Transport transport(Attributes in) {
    IpProtocol protocol = new IpProtocol(in.u8(CTA_PROTO_NUM, 0));
    if (in.has(CTA_PROTO_SRC_PORT)) {
      return new Ports(protocol, in.be16(CTA_PROTO_SRC_PORT, 0), in.be16(CTA_PROTO_DST_PORT, 0));
    }
    // The type and the code follow the id, in both families.
    int id = in.has(CTA_PROTO_ICMP_ID) ? CTA_PROTO_ICMP_ID : CTA_PROTO_ICMPV6_ID;
    return in.has(id)
        ? new Icmp(protocol, in.be16(id, 0), in.u8(id + 1, 0), in.u8(id + 2, 0))
        : new Bare(protocol);
  }

  /** A connection named by one of its directions. */
  static void writeName(MessageWriter out, int type, Tuple tuple) {
    header(out, tuple.family(), 0);
    out.nest(type, () -> writeTuple(out, tuple));
    if (tuple.zone() != 0) {
      out.be16(CTA_ZONE, tuple.zone());
    }
  }

  /** The same with the connection's id. */
  static void writeName(MessageWriter out, ConntrackEntry connection) {
    writeName(out, CTA_TUPLE_ORIG, connection.original());
    out.be32(CTA_ID, connection.id());
  }

  private static void writeTuple(MessageWriter out, Tuple tuple) {
    out.nest(
        CTA_TUPLE_IP,
        () -> {
          writeSource(out, tuple.source());
          writeDestination(out, tuple.destination());
        });
    out.nest(CTA_TUPLE_PROTO, () -> writeTransport(out, tuple.transport()));
  }

  static void writeSource(MessageWriter out, @Nullable IpAddress address) {
    if (address != null) {
      out.bytes(address.isV4() ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, address.toByteArray());
    }
  }

  static void writeDestination(MessageWriter out, @Nullable IpAddress address) {
    if (address != null) {
      out.bytes(address.isV4() ? CTA_IP_V4_DST : CTA_IP_V6_DST, address.toByteArray());
    }
  }

  private static void writeTransport(MessageWriter out, Transport transport) {
    out.u8(CTA_PROTO_NUM, transport.protocol().number());
    switch (transport) {
      case Ports(IpProtocol _, int source, int destination) ->
          out.be16(CTA_PROTO_SRC_PORT, source).be16(CTA_PROTO_DST_PORT, destination);
      case Icmp(IpProtocol protocol, int id, int type, int code) -> {
        int first = protocol.equals(IpProtocol.ICMPV6) ? CTA_PROTO_ICMPV6_ID : CTA_PROTO_ICMP_ID;
        out.be16(first, id).u8(first + 1, type).u8(first + 2, code);
      }
      case Bare _ -> {}
    }
  }

  /**
   * All connections, or all of a family: kernels before 5.3 ignore the family unless the version in
   * the header is 1.
   */
  static void writeFlush(MessageWriter out, @Nullable IpFamily family) {
    header(out, family, family == null ? 0 : 1);
  }

  /**
   * The filter for a listing, as far as the kernel supports it; kernels before 5.8 only support
   * family and mark.
   */
  static void writeFilter(MessageWriter out, ConntrackFilter filter) {
    header(out, filter.family(), 0);
    ConntrackFilter.Mark mark = filter.mark();
    if (mark != null) {
      out.be32(CTA_MARK, mark.value()).be32(CTA_MARK_MASK, mark.mask());
    }
    // Zone 0 means that a direction has no zone; asked for 0, the kernel does not match these.
    if (filter.zone() > 0) {
      out.be16(CTA_ZONE, filter.zone());
    }
    IpProtocol protocol = filter.protocol();
    TupleFilter original = TupleFilter.of(filter.original(), protocol, filter.family());
    TupleFilter reply =
        TupleFilter.of(filter.reply(), filter.reply().hasPort() ? protocol : null, filter.family());
    original.writeTuple(out, CTA_TUPLE_ORIG);
    reply.writeTuple(out, CTA_TUPLE_REPLY);
    if (original.flags() != 0 || reply.flags() != 0) {
      out.nest(
          CTA_FILTER,
          () ->
              out.u32(CTA_FILTER_ORIG_FLAGS, original.flags())
                  .u32(CTA_FILTER_REPLY_FLAGS, reply.flags()));
    }
  }

  private static void header(MessageWriter out, @Nullable IpFamily family, int version) {
    out.field8(family == null ? 0 : family.number()).field8(version).fieldBe16(0);
  }
}
