package io.ocicat.netlink.nflog;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.nft.Bytes;
import java.util.Arrays;
import java.util.Optional;

/**
 * A packet as a rule logged it.
 *
 * @param prefix the rule's text, which says why
 * @param inInterface the index of the interface it came in by; 0 for none
 * @param outInterface the index of the interface it would leave by; 0 for none or not yet known
 * @param content its first bytes, from the IP header on
 */
public record LoggedPacket(String prefix, int inInterface, int outInterface, Bytes content) {
  private static final int HEADER = 4;
  private static final int IN_DEVICE = 4;
  private static final int OUT_DEVICE = 5;
  private static final int PAYLOAD = 9;
  private static final int PREFIX = 10;

  private static final int IPV4_HEADER = 20;
  private static final int IPV6_HEADER = 40;

  /**
   * The beginning of an IP packet.
   *
   * @param protocol the number in the IP header; of IPv6 that of the first header after it
   * @param sourcePort 0 for protocols without ports, and for later fragments
   */
  public record Addresses(
      IpAddress source, IpAddress destination, int protocol, int sourcePort, int destinationPort) {}

  static LoggedPacket read(NetlinkMessage message) {
    Attributes attributes = message.attributes(HEADER);
    return new LoggedPacket(
        attributes.text(PREFIX, ""),
        attributes.be32(IN_DEVICE, 0),
        attributes.be32(OUT_DEVICE, 0),
        attributes.bytes(PAYLOAD).map(Bytes::of).orElse(Bytes.of()));
  }

  /** Empty when it is not an IP packet, or too little of it was copied. */
  public Optional<Addresses> addresses() {
    byte[] bytes = content.toByteArray();
    int version = bytes.length == 0 ? 0 : (bytes[0] & 0xf0) >> 4;
    if (version == 4 && bytes.length >= IPV4_HEADER) {
      boolean first = (be16(bytes, 6) & 0x1fff) == 0;
      int transport = first ? (bytes[0] & 0xf) * 4 : bytes.length;
      return Optional.of(read(bytes, 12, 4, Byte.toUnsignedInt(bytes[9]), transport));
    }
    if (version == 6 && bytes.length >= IPV6_HEADER) {
      return Optional.of(read(bytes, 8, 16, Byte.toUnsignedInt(bytes[6]), IPV6_HEADER));
    }
    return Optional.empty();
  }

  private static Addresses read(byte[] bytes, int at, int length, int protocol, int transport) {
    boolean ports = hasPorts(protocol) && bytes.length >= transport + 4;
    return new Addresses(
        IpAddress.ofBytes(Arrays.copyOfRange(bytes, at, at + length)),
        IpAddress.ofBytes(Arrays.copyOfRange(bytes, at + length, at + 2 * length)),
        protocol,
        ports ? be16(bytes, transport) : 0,
        ports ? be16(bytes, transport + 2) : 0);
  }

  /** TCP, UDP, DCCP, SCTP and UDPLite. */
  private static boolean hasPorts(int protocol) {
    return switch (protocol) {
      case 6, 17, 33, 132, 136 -> true;
      default -> false;
    };
  }

  private static int be16(byte[] bytes, int at) {
    return Byte.toUnsignedInt(bytes[at]) << 8 | Byte.toUnsignedInt(bytes[at + 1]);
  }
}
