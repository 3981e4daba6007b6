package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;

/** Rules about the addresses of peers. */
final class PeerAddresses {
  private PeerAddresses() {}

  /** Whether a session over several hops is possible with this address. */
  static boolean isUsable(IpAddress peer) {
    return !peer.isUnspecified() && !peer.isMulticast() && !(peer.isV6() && peer.isLinkLocal());
  }

  /**
   * Whether the peer connects, not we. Addresses are compared as text, as every Calico node does:
   * otherwise both sides would connect, or neither.
   */
  static boolean waitsFor(IpAddress peer, IpAddress own) {
    return peer.toString().compareTo(own.toString()) > 0;
  }
}
