package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a listing's filter on the wire: a partial tuple, and flags that say which parts
 * count (the kernel's net/netfilter/nf_internals.h, CTA_FILTER_F_…). Ports count only together with
 * a protocol.
 */
record TupleFilter(TuplePattern pattern, @Nullable IpProtocol protocol) {
  private static final int IP_SRC = 1;
  private static final int IP_DST = 1 << 1;
  private static final int PROTO_NUM = 1 << 3;
  private static final int SRC_PORT = 1 << 4;
  private static final int DST_PORT = 1 << 5;

  /**
   * The filter for a pattern. Kernels from 5.8 to 6.18 at least compare IPv6 addresses the wrong
   * way round and send what does not match, so the filter omits them.
   */
  static TupleFilter of(TuplePattern pattern, @Nullable IpProtocol protocol, IpFamily family) {
    return new TupleFilter(family == IpFamily.V4 ? pattern : pattern.anyAddress(), protocol);
  }

  int flags() {
    int flags =
        (pattern.source() == null ? 0 : IP_SRC) | (pattern.destination() == null ? 0 : IP_DST);
    return protocol == null
        ? flags
        : flags
            | PROTO_NUM
            | (pattern.sourcePort() < 0 ? 0 : SRC_PORT)
            | (pattern.port() < 0 ? 0 : DST_PORT);
  }

  void writeTuple(MessageWriter out, int type) {
    if (flags() != 0) {
      out.nest(
          type,
          () -> {
            writeAddresses(out);
            writePorts(out);
          });
    }
  }

  private void writeAddresses(MessageWriter out) {
    IpAddress source = pattern.source();
    IpAddress destination = pattern.destination();
    if (source == null && destination == null) {
      return;
    }
    out.nest(
        ConntrackMessage.CTA_TUPLE_IP,
        () -> {
          ConntrackMessage.writeSource(out, source);
          ConntrackMessage.writeDestination(out, destination);
        });
  }

  private void writePorts(MessageWriter out) {
    if (protocol == null) {
      return;
    }
    out.nest(
        ConntrackMessage.CTA_TUPLE_PROTO,
        () -> {
          out.u8(ConntrackMessage.CTA_PROTO_NUM, protocol.number());
          if (pattern.sourcePort() >= 0) {
            out.be16(ConntrackMessage.CTA_PROTO_SRC_PORT, pattern.sourcePort());
          }
          if (pattern.port() >= 0) {
            out.be16(ConntrackMessage.CTA_PROTO_DST_PORT, pattern.port());
          }
        });
  }
}
