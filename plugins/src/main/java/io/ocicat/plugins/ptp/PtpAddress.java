package io.ocicat.plugins.ptp;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One address of the container and its gateway, which is the host's address. Neighbours in the
 * subnet are reached through the host, too: each has a veth pair of its own.
 */
record PtpAddress(IpPrefix address, IpAddress gateway) {

  /**
   * From the result of an IPAM plugin.
   *
   * @throws CniException when it has no address, or one that cannot be used here
   */
  static List<PtpAddress> of(Result ipam) {
    if (ipam.ips().isEmpty()) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "IPAM plugin returned missing IP config",
          "ptp needs at least one address for the container");
    }
    return ipam.ips().stream().map(PtpAddress::of).toList();
  }

  private static PtpAddress of(IpConfig ip) {
    IpAddress gateway = ip.gateway();
    String problem = "";
    if (gateway == null) {
      problem = "has no gateway";
    } else if (gateway.isV4() != ip.address().isV4()) {
      problem = "cannot have the gateway %s: not the same family".formatted(gateway);
    } else if (gateway.equals(ip.address().address())) {
      problem = "is its own gateway";
    }
    if (gateway == null || !problem.isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "address %s from the IPAM plugin %s".formatted(ip.address(), problem),
          "ptp gives the gateway's address to the host's end of the veth pair: set it in \"ipam\"");
    }
    return new PtpAddress(ip.address(), gateway);
  }

  IpFamily family() {
    return IpFamily.of(gateway);
  }

  /** The host's address on its end of the veth pair. */
  IpPrefix gatewayPrefix() {
    return IpPrefix.host(gateway);
  }

  /** The host's route to the container. */
  Route onHost(Device veth) {
    Route route = Route.to(IpPrefix.host(address.address())).dev(veth);
    return family() == IpFamily.V4 ? route.scope(Scope.HOST) : route;
  }

  /**
   * The container's routes to its gateways and, through those, to its subnets; each only once, and
   * none that the IPAM plugin has a route for.
   */
  static List<Route> inContainer(List<PtpAddress> addresses, Device veth, Result ipam) {
    List<Route> routes = new ArrayList<>();
    Set<IpPrefix> known = new HashSet<>();
    ipam.routes().forEach(route -> known.add(route.dst().network()));
    for (PtpAddress one : addresses) {
      IpAddress self = one.address.address();
      if (known.add(one.gatewayPrefix())) {
        Route route = Route.to(one.gatewayPrefix()).dev(veth).source(self);
        routes.add(one.family() == IpFamily.V4 ? route.scope(Scope.LINK) : route);
      }
      IpPrefix subnet = one.address.network();
      boolean alone = subnet.length() == self.bitLength();
      if (!alone && known.add(subnet)) {
        routes.add(Route.to(subnet).via(one.gateway).dev(veth).source(self));
      }
    }
    return routes;
  }
}
