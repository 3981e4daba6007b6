package io.ocicat.agent.filter;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The first packet of a flow, about which policy decides: its destination is where it really goes,
 * its source where it really comes from.
 *
 * @param protocol the number in the IP header
 * @param sourcePort empty when it is not known: then no rule that demands one matches
 * @param destinationPort empty for protocols without ports
 * @param icmp type and code of a message of ICMP or ICMPv6
 */
public record FirstPacket(
    IpAddress source,
    IpAddress destination,
    int protocol,
    OptionalInt sourcePort,
    OptionalInt destinationPort,
    Optional<IcmpMatch> icmp) {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;
  private static final int ECHO_REQUEST = 8;
  private static final int ECHO_REQUEST_V6 = 128;

  /** The first packet of a connection to a port. */
  public static FirstPacket to(IpAddress source, IpAddress destination, int protocol, int port) {
    return new FirstPacket(
        source, destination, protocol, OptionalInt.empty(), OptionalInt.of(port), Optional.empty());
  }

  /** An echo request. */
  public static FirstPacket ping(IpAddress source, IpAddress destination) {
    return new FirstPacket(
        source,
        destination,
        source.isV4() ? ICMP : ICMPV6,
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.of(
            new IcmpMatch(source.isV4() ? ECHO_REQUEST : ECHO_REQUEST_V6, OptionalInt.of(0))));
  }

  /** One of a protocol without ports. */
  public static FirstPacket of(IpAddress source, IpAddress destination, int protocol) {
    return new FirstPacket(
        source, destination, protocol, OptionalInt.empty(), OptionalInt.empty(), Optional.empty());
  }

  public IpFamily family() {
    return IpFamily.of(source);
  }
}
