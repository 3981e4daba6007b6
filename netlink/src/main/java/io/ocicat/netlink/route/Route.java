package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A route, to be added or as the kernel reports it. Begin with {@link #to} and set the rest as in
 * iproute2: {@code Route.to(prefix).via(gateway).dev(eth0).onlink()}. Host bits of the destination
 * are dropped.
 *
 * @param hops where packets go: one, several for a multipath route, or none
 * @param source the address to send from when the sender has not chosen one (prefsrc)
 * @param scope of IPv4 routes; {@link Scope#NOWHERE} when not set: then the one that fits the type
 *     and the gateway is sent
 * @param table see {@link RouteTable}; any unsigned 32-bit number
 * @param metric the smallest of several routes to one destination wins; when 0, IPv6 makes it 1024
 */
public record Route(
    IpPrefix destination,
    RouteType type,
    List<NextHop> hops,
    @Nullable IpAddress source,
    Scope scope,
    RouteProtocol protocol,
    int table,
    long metric,
    RouteMetrics metrics) {

  public Route {
    destination = destination.network();
    hops = List.copyOf(hops);
    if (source != null && source.isV4() != destination.isV4()) {
      throw new IllegalArgumentException(
          "route %s cannot have the source %s: not the same family".formatted(destination, source));
    }
    for (NextHop hop : hops) {
      IpAddress gateway = hop.gateway();
      if (gateway != null && gateway.isV4() && destination.isV6()) {
        throw new IllegalArgumentException(
            "route %s cannot go via %s: an IPv6 route needs an IPv6 gateway"
                .formatted(destination, gateway));
      }
    }
    if (!Unsigned.fits32(metric)) {
      throw Unsigned.refuse32("the metric of route " + destination, metric);
    }
  }

  /** A unicast route in the main table. */
  public static Route to(IpPrefix destination) {
    return of(RouteType.UNICAST, destination);
  }

  /** A route of another type, such as {@code Route.of(RouteType.BLACKHOLE, prefix)}. */
  public static Route of(RouteType type, IpPrefix destination) {
    return new Route(
        destination,
        type,
        List.of(),
        null,
        Scope.NOWHERE,
        RouteProtocol.UNSPEC,
        RouteTable.MAIN,
        0,
        RouteMetrics.NONE);
  }

  public Route via(IpAddress gateway) {
    return hop(onlyHop().gateway(gateway));
  }

  public Route dev(Device device) {
    return hop(onlyHop().dev(device));
  }

  /** Treats the gateway as on-link, without a lookup in the routing table. */
  public Route onlink() {
    return hop(onlyHop().asOnlink());
  }

  /** Spreads packets over several next hops. */
  public Route multipath(NextHop... hops) {
    return hops(List.of(hops));
  }

  private Route hop(NextHop hop) {
    return hops(List.of(hop));
  }

  private Route hops(List<NextHop> hops) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  private NextHop onlyHop() {
    if (hops.size() > 1) {
      throw new IllegalStateException(
          "route %s has %d next hops: say each one's gateway and device with multipath"
              .formatted(destination, hops.size()));
    }
    return hops.isEmpty() ? NextHop.UNSAID : hops.getFirst();
  }

  public Route source(IpAddress source) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public Route scope(Scope scope) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public Route protocol(RouteProtocol protocol) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public Route table(int table) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public Route metric(long metric) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public Route mtu(int mtu) {
    return metrics(new RouteMetrics(mtu, false, metrics.advmss()));
  }

  /** An MTU that path MTU discovery may not lower. */
  public Route lockedMtu(int mtu) {
    return metrics(new RouteMetrics(mtu, true, metrics.advmss()));
  }

  public Route advmss(int advmss) {
    return metrics(new RouteMetrics(metrics.mtu(), metrics.mtuLocked(), advmss));
  }

  private Route metrics(RouteMetrics metrics) {
    return new Route(destination, type, hops, source, scope, protocol, table, metric, metrics);
  }

  public IpFamily family() {
    return IpFamily.of(destination.address());
  }

  /** The gateway, the first hop's when there are several. */
  public Optional<IpAddress> gateway() {
    return hops.isEmpty() ? Optional.empty() : Optional.ofNullable(hops.getFirst().gateway());
  }

  /** The device, the first hop's when there are several. */
  public Optional<Device> device() {
    return hops.isEmpty() ? Optional.empty() : Optional.ofNullable(hops.getFirst().device());
  }

  /** As in {@code 10.0.0.0/8 via 192.168.0.1 dev eth0 table 100}. */
  @Override
  public String toString() {
    return (type.equals(RouteType.UNICAST) ? "" : type + " ")
        + destination
        + hopText()
        + (source == null ? "" : " src " + source)
        + (scope.equals(Scope.NOWHERE) || scope.equals(Scope.UNIVERSE) ? "" : " scope " + scope)
        + (protocol.equals(RouteProtocol.UNSPEC) ? "" : " proto " + protocol)
        + (table == RouteTable.MAIN ? "" : " table " + RouteTable.name(table))
        + (metric == 0 ? "" : " metric " + metric)
        + metrics;
  }

  private String hopText() {
    return hops.size() == 1
        ? " " + hops.getFirst()
        : hops.stream()
            .map(hop -> " nexthop " + hop + " weight " + hop.weight())
            .collect(Collectors.joining());
  }
}
