package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;

/**
 * The first packet of a flow.
 *
 * @param protocol the number in the IP header
 * @param sourcePort 0 for a protocol without ports
 * @param icmpType of an ICMP or ICMPv6 message
 */
public record Packet(
    IpAddress source,
    IpAddress destination,
    int protocol,
    int sourcePort,
    int destinationPort,
    int icmpType,
    int icmpCode) {

  boolean isV4() {
    return source.isV4();
  }
}
