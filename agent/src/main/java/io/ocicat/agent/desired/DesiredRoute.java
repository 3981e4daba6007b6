package io.ocicat.agent.desired;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteProtocol;
import io.ocicat.netlink.route.RouteType;
import io.ocicat.netlink.route.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A route that the main table should have.
 *
 * @param device the name of the link; empty for a blackhole
 * @param gateway null where the destination is on the link
 * @param mtu 0 for the link's
 * @param source the preferred source address
 */
public record DesiredRoute(
    IpPrefix destination,
    Purpose purpose,
    long metric,
    String device,
    @Nullable IpAddress gateway,
    int mtu,
    RouteProtocol protocol,
    @Nullable IpAddress source) {

  /** What a route is for; of two for one destination and metric, the first of these wins. */
  public enum Purpose {
    LOCAL_WORKLOAD,
    VXLAN_SAME_SUBNET,
    VXLAN_TUNNEL,
    IPIP_SAME_SUBNET,
    IPIP_TUNNEL,
    FLANNEL,
    NO_ENCAPSULATION,
    BLOCK_DROP
  }

  /** What the kernel tells routes of one table apart by. */
  public record Key(IpPrefix destination, long metric) {
    public IpFamily family() {
      return IpFamily.of(destination.address());
    }

    @Override
    public String toString() {
      return destination + (metric == 0 ? "" : " metric " + metric);
    }
  }

  /** IPv6 has no metric 0: the kernel makes it this. */
  private static final long USUAL_IPV6_METRIC = 1024;

  /** The metric of a route that is not a workload's. */
  public static long usualMetric(IpPrefix destination) {
    return destination.isV4() ? 0 : USUAL_IPV6_METRIC;
  }

  public Key key() {
    return new Key(destination, metric);
  }

  public boolean isBlackhole() {
    return purpose == Purpose.BLOCK_DROP;
  }

  /**
   * The route as the kernel gets it.
   *
   * @param link the link of the name {@link #device}; null for a blackhole
   */
  public Route on(@Nullable Link link) {
    Route route =
        isBlackhole() || link == null
            ? Route.of(RouteType.BLACKHOLE, destination)
            : Route.to(destination).dev(Device.of(link));
    if (gateway != null) {
      route = route.via(gateway).onlink();
    }
    if (destination.isV4() && gateway == null && !isBlackhole()) {
      route = route.scope(Scope.LINK);
    }
    if (mtu != 0) {
      route = route.mtu(mtu);
    }
    if (source != null) {
      route = route.source(source);
    }
    return route.protocol(protocol).metric(metric);
  }

  /** As {@code ip route} prints it. */
  @Override
  public String toString() {
    return (isBlackhole() ? "blackhole " : "")
        + destination
        + (gateway == null ? "" : " via " + gateway)
        + (device.isEmpty() ? "" : " dev " + device)
        + " proto "
        + protocol
        + (metric == 0 ? "" : " metric " + metric);
  }
}
