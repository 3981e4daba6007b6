package io.ocicat.agent.filter;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;

/** What a set contains: IPv4 and IPv6 together, networks that may overlap. */
public sealed interface SetMember {
  /** All addresses of a prefix, which has no host bits. */
  record Network(IpPrefix prefix) implements SetMember {}

  /** One port of one address; the protocol is the number in the IP header. */
  record Port(IpAddress address, int protocol, int port) implements SetMember {}
}
