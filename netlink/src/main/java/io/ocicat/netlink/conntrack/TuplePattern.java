package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for one direction of a connection; unspecified parts match anything.
 *
 * @param sourcePort -1 for any, as for the destination
 */
record TuplePattern(
    @Nullable IpAddress source, @Nullable IpAddress destination, int sourcePort, int port) {
  static final TuplePattern ANY = new TuplePattern(null, null, -1, -1);

  TuplePattern source(IpAddress source) {
    return new TuplePattern(source, destination, sourcePort, port);
  }

  TuplePattern destination(IpAddress destination) {
    return new TuplePattern(source, destination, sourcePort, port);
  }

  TuplePattern sourcePort(int sourcePort) {
    Transport.Ports.checkPort(sourcePort);
    return new TuplePattern(source, destination, sourcePort, port);
  }

  TuplePattern port(int port) {
    Transport.Ports.checkPort(port);
    return new TuplePattern(source, destination, sourcePort, port);
  }

  TuplePattern anyAddress() {
    return new TuplePattern(null, null, sourcePort, port);
  }

  boolean hasPort() {
    return sourcePort >= 0 || port >= 0;
  }

  boolean matches(Tuple tuple) {
    return (source == null || source.equals(tuple.source()))
        && (destination == null || destination.equals(tuple.destination()))
        && matchesPorts(tuple.transport());
  }

  private boolean matchesPorts(Transport transport) {
    return !hasPort()
        || (transport instanceof Transport.Ports ports
            && (sourcePort < 0 || sourcePort == ports.source())
            && (port < 0 || port == ports.destination()));
  }

  String text(String direction) {
    return (source == null ? "" : " " + direction + "-src " + source)
        + (destination == null ? "" : " " + direction + "-dst " + destination)
        + (sourcePort < 0 ? "" : " " + direction + "-port-src " + sourcePort)
        + (port < 0 ? "" : " " + direction + "-port-dst " + port);
  }
}
