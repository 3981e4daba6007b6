package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.Scope;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The host's routes to the addresses of a container: one each, through its veth pair. */
record HostRoutes(NetnsSockets host, Device veth, List<IpAddress> addresses) {
  HostRoutes {
    addresses = List.copyOf(addresses);
  }

  /**
   * Adds them after other requests in the same send. A route that already exists is fine unless it
   * leads elsewhere: then somebody else has the address.
   *
   * @throws CniException naming the interface it leads to
   */
  void install(List<NetlinkRequest> before) {
    List<NetlinkRequest> requests = new ArrayList<>(before);
    addresses.forEach(address -> requests.add(Routes.add(route(address))));
    List<RequestOutcome> outcomes = host.route().attempt(requests);
    for (int i = 0; i < outcomes.size(); i++) {
      NetlinkException failure = outcomes.get(i).failure().orElse(null);
      if (failure == null) {
        continue;
      }
      if (i < before.size() || !failure.is(Errno.EEXIST)) {
        throw failure;
      }
      refuseOther(addresses.get(i - before.size()), failure);
    }
  }

  Route route(IpAddress address) {
    Route route = Route.to(IpPrefix.host(address)).dev(veth);
    return address.isV4() ? route.scope(Scope.LINK) : route;
  }

  /** IPv6 has no scopes, so only link and destination are compared. */
  private void refuseOther(IpAddress address, NetlinkException failure) {
    List<Route> present =
        host.route().list(Routes.list(RouteFilter.main(IpFamily.of(address)))).stream()
            .filter(route -> route.destination().equals(IpPrefix.host(address)))
            .toList();
    if (present.stream().anyMatch(this::isOurs)) {
      return;
    }
    CniException conflict =
        new CniException(
            ErrorCode.INTERNAL,
            "error adding host side routes for interface: %s, error: route (Ifindex: %d, Dst: %s, Scope: link) already exists for an interface other than '%s': route (%s)"
                .formatted(
                    veth.name(),
                    veth.index(),
                    IpPrefix.host(address),
                    veth.name(),
                    present.stream().findFirst().map(this::describe).orElse("?")),
            "%s is already in use: see `ip route show %s`, and `ocicat ipam check` for whose it is"
                .formatted(address, address));
    conflict.addSuppressed(failure);
    throw conflict;
  }

  /** Where the route leads, or what happens to its packets when it has no next hop. */
  private String describe(Route route) {
    return route
        .device()
        .map(
            device ->
                "Ifindex: %d, Iface: %s"
                    .formatted(
                        device.index(),
                        host.route()
                            .find(Links.byIndex(device.index()))
                            .map(Link::name)
                            .orElse("?")))
        .orElse("Type: " + route.type());
  }

  private boolean isOurs(Route route) {
    Optional<Device> device = route.device();
    return device.filter(at -> at.index() == veth.index()).isPresent();
  }
}
