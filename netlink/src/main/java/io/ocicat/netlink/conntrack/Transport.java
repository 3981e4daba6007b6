package io.ocicat.netlink.conntrack;

/** The transport-layer part of a connection's identity: ports, or the fields of ICMP. */
public sealed interface Transport {
  IpProtocol protocol();

  /** TCP, UDP, SCTP and similar protocols. */
  record Ports(IpProtocol protocol, int source, int destination) implements Transport {
    public Ports {
      checkPort(source);
      checkPort(destination);
    }

    static void checkPort(int port) {
      if (port < 0 || port > 0xffff) {
        throw new IllegalArgumentException("a port is 0–65535, not " + port);
      }
    }
  }

  /** An ICMP request: type 8 (ICMP) or 128 (ICMPv6) for a ping. */
  record Icmp(IpProtocol protocol, int id, int type, int code) implements Transport {
    public Icmp {
      if (id < 0 || id > 0xffff || type < 0 || type > 255 || code < 0 || code > 255) {
        throw new IllegalArgumentException(
            "ICMP has an id of 0–65535, a type and a code of 0–255, not %d, %d, %d"
                .formatted(id, type, code));
      }
    }
  }

  /** None: only the addresses identify the connection. */
  record Bare(IpProtocol protocol) implements Transport {}
}
