package io.ocicat.netlink.route;

import io.ocicat.netlink.IpFamily;
import org.jspecify.annotations.Nullable;

/**
 * A filter for listing routes. The kernel applies it, so that listing one pod's routes costs the
 * same on a full node as on an empty one.
 *
 * @param table 0 for all tables
 * @param protocol {@link RouteProtocol#UNSPEC} for all
 */
public record RouteFilter(
    IpFamily family,
    int table,
    @Nullable Device device,
    RouteProtocol protocol,
    @Nullable RouteType type) {

  /** The routes of a family in all tables. */
  public static RouteFilter all(IpFamily family) {
    return new RouteFilter(family, 0, null, RouteProtocol.UNSPEC, null);
  }

  /** The routes of a family in the main table. */
  public static RouteFilter main(IpFamily family) {
    return all(family).table(RouteTable.MAIN);
  }

  public RouteFilter table(int table) {
    return new RouteFilter(family, table, device, protocol, type);
  }

  /** Only routes that lead, even if only by one of several next hops, out of this link. */
  public RouteFilter dev(Device device) {
    return new RouteFilter(family, table, device, protocol, type);
  }

  public RouteFilter protocol(RouteProtocol protocol) {
    return new RouteFilter(family, table, device, protocol, type);
  }

  public RouteFilter type(RouteType type) {
    return new RouteFilter(family, table, device, protocol, type);
  }

  /** The same in Java, for kernels before 4.20, which do not filter. */
  boolean matches(Route route) {
    return (table == 0 || table == route.table())
        && (device == null || route.hops().stream().anyMatch(hop -> device.equals(hop.device())))
        && (protocol.equals(RouteProtocol.UNSPEC) || protocol.equals(route.protocol()))
        && (type == null || type.equals(route.type()));
  }

  /** As in {@code IPv4 routes dev eth0 table main}. */
  @Override
  public String toString() {
    return family
        + " routes"
        + (type == null ? "" : " of type " + type)
        + (device == null ? "" : " dev " + device)
        + (protocol.equals(RouteProtocol.UNSPEC) ? "" : " proto " + protocol)
        + (table == 0 ? "" : " table " + RouteTable.name(table));
  }
}
