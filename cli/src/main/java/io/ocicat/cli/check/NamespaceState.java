package io.ocicat.cli.check;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Fdb;
import io.ocicat.netlink.link.FdbEntry;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Neighbour;
import io.ocicat.netlink.route.Neighbours;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.RouteTable;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A snapshot of a network namespace's links, addresses and routes, read when it is opened; the rest
 * is read on demand. Not thread-safe.
 */
final class NamespaceState implements AutoCloseable {
  private final Path path;
  private final NetNs namespace;
  private final NetlinkSocket socket;
  private final Map<Integer, Link> links;
  private final List<Address> addresses;
  private final List<Route> routes4;
  private final List<Route> routes6;
  private final Map<Integer, List<Neighbour>> neighbours = new HashMap<>();
  private final Map<Integer, List<FdbEntry>> fdb = new HashMap<>();

  private NamespaceState(Path path, NetNs namespace, NetlinkSocket socket) {
    this.path = path;
    this.namespace = namespace;
    this.socket = socket;
    this.links =
        socket.list(Links.all()).stream()
            .collect(Collectors.toMap(Link::index, Function.identity(), (a, _) -> a));
    this.addresses = socket.list(Addresses.list());
    this.routes4 = socket.list(Routes.list(RouteFilter.all(IpFamily.V4)));
    this.routes6 = socket.list(Routes.list(RouteFilter.all(IpFamily.V6)));
  }

  /**
   * Reads it.
   *
   * @throws NetlinkException when the path does not lead to a namespace, or it cannot be entered
   */
  static NamespaceState open(Path path) {
    NetNs namespace = NetNs.open(path);
    try {
      NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, namespace);
      try {
        return new NamespaceState(path, namespace, socket);
      } catch (NetlinkException e) {
        socket.close();
        throw e;
      }
    } catch (NetlinkException e) {
      namespace.close();
      throw e;
    }
  }

  Path path() {
    return path;
  }

  Optional<Link> link(int index) {
    return Optional.ofNullable(links.get(index));
  }

  Optional<Link> link(String name) {
    return links.values().stream().filter(link -> link.name().equals(name)).findFirst();
  }

  List<Address> addressesOf(Link link) {
    return addresses.stream().filter(address -> address.device().index() == link.index()).toList();
  }

  /** The interface that has an address. */
  Optional<Link> holderOf(IpAddress wanted) {
    return addresses.stream()
        .filter(address -> address.prefix().address().equals(wanted))
        .findFirst()
        .flatMap(address -> link(address.device().index()));
  }

  /** The routes to a destination in one table. */
  List<Route> routesTo(IpPrefix destination, int table) {
    return routes(IpFamily.of(destination.address())).stream()
        .filter(route -> route.table() == table && route.destination().equals(destination))
        .toList();
  }

  List<Route> routes(IpFamily family) {
    return family == IpFamily.V4 ? routes4 : routes6;
  }

  /** The link by which a packet would leave; empty when there is no route. */
  Optional<Link> leavesBy(IpAddress destination) {
    return usedRoute(destination).flatMap(Route::device).flatMap(device -> link(device.index()));
  }

  /** The route that a packet would take; empty when there is none, or one that rejects packets. */
  Optional<Route> usedRoute(IpAddress destination) {
    try {
      return socket.find(Routes.lookup(RouteLookup.to(destination)));
    } catch (NetlinkException _) {
      return Optional.empty();
    }
  }

  /** The most specific of the routes to an address, except those to this host itself. */
  Optional<Route> bestRoute(IpAddress destination) {
    return routes(IpFamily.of(destination)).stream()
        .filter(route -> route.table() != RouteTable.LOCAL)
        .filter(route -> route.destination().contains(destination))
        .min(
            Comparator.comparingInt((Route route) -> -route.destination().length())
                .thenComparingLong(Route::metric));
  }

  /** Read once for each link. */
  List<Neighbour> neighbours(Link link) {
    return neighbours.computeIfAbsent(
        link.index(), _ -> socket.list(Neighbours.list(Device.of(link))));
  }

  /** Read once for each link. */
  List<FdbEntry> fdb(Link link) {
    return fdb.computeIfAbsent(link.index(), _ -> socket.list(Fdb.of(link.index())));
  }

  NetNs namespace() {
    return namespace;
  }

  /** Whether a setting is 0; a setting that the kernel does not have is on. */
  boolean isOff(Sysctl setting) {
    try {
      return setting.readIn(namespace).strip().equals("0");
    } catch (NetlinkException _) {
      return false;
    }
  }

  @Override
  public void close() {
    socket.close();
    namespace.close();
  }
}
