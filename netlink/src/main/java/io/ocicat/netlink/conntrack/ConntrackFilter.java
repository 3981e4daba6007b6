package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import org.jspecify.annotations.Nullable;

/**
 * Selects connections of a family that match everything specified here. {@code
 * ConntrackFilter.of(V4).protocol(UDP).originalDestinationPort(5353)} are those to a host port,
 * {@code ConntrackFilter.of(V4).replySource(pod)} those that end at a pod whatever address the
 * client used. Immutable.
 */
public final class ConntrackFilter {
  private final IpFamily family;
  private final @Nullable IpProtocol protocol;
  private final TuplePattern original;
  private final TuplePattern reply;
  private final int zone;
  private final @Nullable Mark mark;

  /** The value in the bits of the mask. */
  record Mark(int value, int mask) {}

  private ConntrackFilter(
      IpFamily family,
      @Nullable IpProtocol protocol,
      TuplePattern original,
      TuplePattern reply,
      int zone,
      @Nullable Mark mark) {
    this.family = family;
    this.protocol = protocol;
    this.original = original;
    this.reply = reply;
    this.zone = zone;
    this.mark = mark;
  }

  /** All connections of a family. */
  public static ConntrackFilter of(IpFamily family) {
    return new ConntrackFilter(family, null, TuplePattern.ANY, TuplePattern.ANY, -1, null);
  }

  public ConntrackFilter protocol(IpProtocol protocol) {
    return new ConntrackFilter(family, protocol, original, reply, zone, mark);
  }

  public ConntrackFilter originalSource(IpAddress address) {
    return original(original.source(inFamily(address)));
  }

  public ConntrackFilter originalDestination(IpAddress address) {
    return original(original.destination(inFamily(address)));
  }

  public ConntrackFilter originalSourcePort(int port) {
    return original(original.sourcePort(port));
  }

  public ConntrackFilter originalDestinationPort(int port) {
    return original(original.port(port));
  }

  /** Where the original packets really went. */
  public ConntrackFilter replySource(IpAddress address) {
    return reply(reply.source(inFamily(address)));
  }

  /** The address that the other side sees as the sender. */
  public ConntrackFilter replyDestination(IpAddress address) {
    return reply(reply.destination(inFamily(address)));
  }

  public ConntrackFilter replySourcePort(int port) {
    return reply(reply.sourcePort(port));
  }

  public ConntrackFilter replyDestinationPort(int port) {
    return reply(reply.port(port));
  }

  /** In either direction. */
  public ConntrackFilter zone(int zone) {
    Tuple.checkZone(zone);
    return new ConntrackFilter(family, protocol, original, reply, zone, mark);
  }

  /** With a mark that has this value in the bits of the mask. */
  public ConntrackFilter mark(int value, int mask) {
    return new ConntrackFilter(family, protocol, original, reply, zone, new Mark(value, mask));
  }

  private ConntrackFilter original(TuplePattern pattern) {
    return new ConntrackFilter(family, protocol, pattern, reply, zone, mark);
  }

  private ConntrackFilter reply(TuplePattern pattern) {
    return new ConntrackFilter(family, protocol, original, pattern, zone, mark);
  }

  private IpAddress inFamily(IpAddress address) {
    if (IpFamily.of(address) != family) {
      throw new IllegalArgumentException("no " + family + " connection has the address " + address);
    }
    return address;
  }

  IpFamily family() {
    return family;
  }

  @Nullable IpProtocol protocol() {
    return protocol;
  }

  TuplePattern original() {
    return original;
  }

  TuplePattern reply() {
    return reply;
  }

  int zone() {
    return zone;
  }

  @Nullable Mark mark() {
    return mark;
  }

  /** The complete condition, for kernels that support only parts of it. */
  boolean matches(ConntrackEntry connection) {
    return connection.family() == family
        && (protocol == null || protocol.equals(connection.protocol()))
        && original.matches(connection.original())
        && reply.matches(connection.reply())
        && (zone < 0 || zone == connection.original().zone() || zone == connection.reply().zone())
        && (mark == null || (connection.mark() & mark.mask()) == mark.value());
  }

  /** In the notation of conntrack(8): {@code IPv4 connections -p udp --orig-port-dst 53}. */
  @Override
  public String toString() {
    return family
        + " connections"
        + (protocol == null ? "" : " -p " + protocol)
        + original.text("--orig")
        + reply.text("--reply")
        + (zone < 0 ? "" : " --zone " + zone)
        + (mark == null ? "" : " --mark 0x%x/0x%x".formatted(mark.value(), mark.mask()));
  }
}
