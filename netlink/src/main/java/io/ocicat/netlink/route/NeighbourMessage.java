package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A neighbour on the wire: struct ndmsg and its attributes (linux/neighbour.h). */
final class NeighbourMessage {
  private static final int HEADER = 12;
  private static final int INDEX = 4;
  private static final int STATE = 8;
  private static final int FLAGS = 10;
  private static final int NDA_DST = 1;
  private static final int NDA_LLADDR = 2;
  private static final int NDA_IFINDEX = 8;
  private static final int NTF_PROXY = 0x08;
  private static final int NTF_ROUTER = 0x80;
  private static final int MAC = 6;

  private NeighbourMessage() {}

  static Neighbour read(NetlinkMessage message) {
    return FamilyHeader.value(() -> parse(message));
  }

  private static Neighbour parse(NetlinkMessage message) {
    ByteBuffer header = message.header(HEADER);
    Attributes attributes = message.attributes(HEADER);
    IpAddress address = FamilyHeader.address(attributes, NDA_DST, FamilyHeader.familyOf(message));
    if (address == null) {
      throw NetlinkException.malformed("a neighbour message without an address");
    }
    int flags = Byte.toUnsignedInt(header.get(FLAGS));
    return new Neighbour(
        Device.of(header.getInt(INDEX)),
        address,
        mac(attributes),
        NeighbourState.ofBit(Short.toUnsignedInt(header.getShort(STATE))),
        (flags & NTF_PROXY) != 0,
        (flags & NTF_ROUTER) != 0);
  }

  /** Tunnels and InfiniBand have link-layer addresses of other sizes. */
  private static @Nullable MacAddress mac(Attributes attributes) {
    return attributes
        .bytes(NDA_LLADDR)
        .filter(bytes -> bytes.length == MAC)
        .map(MacAddress::ofBytes)
        .orElse(null);
  }

  static void write(MessageWriter out, Neighbour neighbour) {
    out.field8(neighbour.family().number()).zeros(3).field32(neighbour.device().index());
    out.field16(neighbour.state().bit());
    out.field8((neighbour.proxy() ? NTF_PROXY : 0) | (neighbour.router() ? NTF_ROUTER : 0));
    out.field8(0);
    out.bytes(NDA_DST, neighbour.address().toByteArray());
    MacAddress mac = neighbour.mac();
    if (mac != null) {
      out.bytes(NDA_LLADDR, mac.toByteArray());
    }
  }

  /** The filter of a listing; the kernel omits everything else. */
  static void writeFilter(
      MessageWriter out, @Nullable IpFamily family, @Nullable Device device, boolean proxies) {
    out.field8(family == null ? 0 : family.number()).zeros(FLAGS - 1);
    out.field8(proxies ? NTF_PROXY : 0).field8(0);
    if (device != null) {
      out.u32(NDA_IFINDEX, device.index());
    }
  }
}
