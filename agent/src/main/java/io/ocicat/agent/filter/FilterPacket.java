package io.ocicat.agent.filter;

import io.ocicat.ip.IpAddress;
import java.util.Optional;

/**
 * The first packet of a flow, as a filter sees it: its destination is where it really goes, its
 * source where it really comes from.
 *
 * @param protocol the number in the IP header
 * @param sourcePort 0 where the protocol has no ports
 * @param icmp type and code, where the protocol is ICMP or ICMPv6 and they are known
 */
public record FilterPacket(
    IpAddress source,
    IpAddress destination,
    int protocol,
    int sourcePort,
    int destinationPort,
    Optional<IcmpMatch> icmp) {}
