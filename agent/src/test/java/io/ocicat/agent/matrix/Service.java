package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;

/** What is tried between two places: the columns of the truth table. */
public enum Service {
  TCP_80(6, 80),
  TCP_81(6, 81),
  UDP_80(17, 80),
  UDP_81(17, 81),
  SCTP_80(132, 80),
  SCTP_81(132, 81),
  /** An echo request, of ICMP or ICMPv6. */
  PING(1, 0);

  private static final int ICMPV6 = 58;
  private static final int ECHO_REQUEST_V4 = 8;
  private static final int ECHO_REQUEST_V6 = 128;

  private final int protocol;
  private final int port;

  Service(int protocol, int port) {
    this.protocol = protocol;
    this.port = port;
  }

  int port() {
    return port;
  }

  boolean isTcp() {
    return this == TCP_80 || this == TCP_81;
  }

  /** The first packet of such a flow. */
  Packet packet(IpAddress source, IpAddress destination, int sourcePort) {
    if (this != PING) {
      return new Packet(source, destination, protocol, sourcePort, port, 0, 0);
    }
    boolean v4 = source.isV4();
    return new Packet(
        source,
        destination,
        v4 ? protocol : ICMPV6,
        0,
        0,
        v4 ? ECHO_REQUEST_V4 : ECHO_REQUEST_V6,
        0);
  }
}
