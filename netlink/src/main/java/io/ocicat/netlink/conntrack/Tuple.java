package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.conntrack.Transport.Icmp;
import io.ocicat.netlink.conntrack.Transport.Ports;

/**
 * The addresses and ports of one direction of a connection, as in its packets.
 *
 * @param zone the part of the table this direction is in; 0 for the usual one
 */
public record Tuple(IpAddress source, IpAddress destination, Transport transport, int zone) {
  public Tuple {
    if (source.isV4() != destination.isV4()) {
      throw new IllegalArgumentException(
          "no connection leads from %s to %s: not the same family".formatted(source, destination));
    }
    checkZone(zone);
  }

  static void checkZone(int zone) {
    if (zone < 0 || zone > 0xffff) {
      throw new IllegalArgumentException("a zone of connections is 0–65535, not " + zone);
    }
  }

  public static Tuple of(IpAddress source, IpAddress destination, Transport transport) {
    return new Tuple(source, destination, transport, 0);
  }

  public Tuple zone(int zone) {
    return new Tuple(source, destination, transport, zone);
  }

  public IpProtocol protocol() {
    return transport.protocol();
  }

  public IpFamily family() {
    return IpFamily.of(source);
  }

  /** As in {@code udp 10.0.0.1:4711 > 10.0.0.2:53 zone 3}. */
  @Override
  public String toString() {
    String text =
        switch (transport) {
          case Ports(IpProtocol _, int from, int to) ->
              endpoint(source, from) + " > " + endpoint(destination, to);
          case Icmp(IpProtocol _, int id, int type, int code) ->
              "%s > %s id %d type %d code %d".formatted(source, destination, id, type, code);
          case Transport.Bare _ -> source + " > " + destination;
        };
    return protocol() + " " + text + (zone == 0 ? "" : " zone " + zone);
  }

  private static String endpoint(IpAddress address, int port) {
    return address.isV6() ? "[" + address + "]:" + port : address + ":" + port;
  }
}
