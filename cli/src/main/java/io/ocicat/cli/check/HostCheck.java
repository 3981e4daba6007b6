package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.cni.IpConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks the host's side of a veth pair: its host end, the bridge that it is a port of or the
 * routes to the container, forwarding, and proxy ARP for Calico's gateway. The result of ADD says
 * whether there should be a bridge, so all plugins that make veth pairs are checked in the same
 * way.
 */
record HostCheck(ExpectedAttachment expected, NamespaceState host, Link inside, boolean routed) {

  List<Discrepancy> run() {
    List<Discrepancy> found = new ArrayList<>();
    Optional<Link> end = end();
    if (end.isEmpty()) {
      if (!expected.onHost().isEmpty()) {
        found.add(
            new Discrepancy(
                Kind.HOST_END,
                "the host's end of %s (%s)"
                    .formatted(inside.name(), String.join(", ", expected.onHost())),
                "not on this host",
                "",
                "somebody moved or replaced it: restart the pod"));
      }
      return found;
    }
    Link outside = end.get();
    if (!outside.isUp()) {
      found.add(
          new Discrepancy(
              Kind.HOST_END,
              "the host's end of %s, %s".formatted(inside.name(), outside.name()),
              "down",
              "up",
              "somebody took it down: `ip link set %s up`".formatted(outside.name())));
    }
    List<String> bridges =
        expected.onHost().stream().filter(name -> !name.equals(outside.name())).toList();
    if (!bridges.isEmpty() || outside.master() != 0) {
      bridge(outside, bridges, found);
    } else if (routed && outside.isUp()) {
      expected.addresses().forEach(address -> route(outside, address.address(), found));
    }
    forwarding(outside, found);
    if (expected.isCalico()) {
      gateway(outside, found);
    }
    return found;
  }

  /** By index: names may be reused, but both ends know each other. */
  private Optional<Link> end() {
    return inside.peerNamespace() < 0
        ? Optional.empty()
        : host.link(inside.peer())
            .filter(link -> link.kind().equals("veth") && link.peer() == inside.index());
  }

  private void bridge(Link outside, List<String> bridges, List<Discrepancy> found) {
    Optional<Link> master = host.link(outside.master());
    String wanted = bridges.isEmpty() ? "" : bridges.getFirst();
    if (master.isEmpty() || (!bridges.isEmpty() && !bridges.contains(master.get().name()))) {
      boolean gone = host.link(wanted).isEmpty();
      found.add(
          new Discrepancy(
              Kind.BRIDGE,
              "%s, the host's end".formatted(outside.name()),
              master
                  .map(link -> "a port of " + link.name())
                  .orElse(
                      gone ? "no port, because there is no " + wanted : "not a port of any bridge"),
              "a port of " + wanted,
              gone
                  ? "somebody deleted the bridge: restart its pods"
                  : "`ip link set %s master %s`".formatted(outside.name(), wanted)));
    } else if (!master.get().isUp()) {
      found.add(
          new Discrepancy(
              Kind.BRIDGE,
              "bridge " + master.get().name(),
              "down",
              "up",
              "`ip link set %s up`".formatted(master.get().name())));
    }
  }

  private void route(Link outside, IpAddress address, List<Discrepancy> found) {
    List<Route> there = host.routesTo(IpPrefix.host(address), RouteTable.MAIN);
    boolean leadsThere =
        there.stream()
            .flatMap(route -> route.device().stream())
            .anyMatch(device -> device.index() == outside.index());
    if (!leadsThere) {
      String command = there.isEmpty() ? "add" : "replace";
      found.add(
          new Discrepancy(
              Kind.HOST_ROUTE,
              "the host's route to " + address,
              there.stream()
                  .findFirst()
                  .flatMap(Route::device)
                  .flatMap(device -> host.link(device.index()))
                  .map(link -> "by " + link.name())
                  .orElse("missing"),
              "by " + outside.name(),
              "somebody removed it: `ip route %s %s dev %s%s`, or restart the pod"
                  .formatted(
                      command,
                      IpPrefix.host(address),
                      outside.name(),
                      address.isV4() ? " scope link" : "")));
    }
  }

  /** Needed where the container's gateway is the host. */
  private void forwarding(Link outside, List<Discrepancy> found) {
    Link entrance = host.link(outside.master()).orElse(outside);
    for (IpFamily family : IpFamily.values()) {
      if (isGatewayFor(family)) {
        found.addAll(Forwarding.off(host, family, Optional.of(entrance)));
      }
    }
  }

  private boolean isGatewayFor(IpFamily family) {
    for (IpConfig ip : expected.ips()) {
      if (IpFamily.of(ip.address().address()) == family
          && (expected.isCalico()
              || (ip.gateway() != null && host.holderOf(ip.gateway()).isPresent()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * No interface has 169.254.1.1: the kernel answers for it by proxy ARP, and only for addresses
   * that it has a route to by another interface ({@code arp_fwd_proxy}).
   */
  private void gateway(Link outside, List<Discrepancy> found) {
    List<IpAddress> addresses = expected.addresses().stream().map(IpPrefix::address).toList();
    if (addresses.stream().anyMatch(IpAddress::isV4)) {
      Sysctl proxy = Sysctl.of("net", "ipv4", "conf", outside.name(), "proxy_arp");
      if (host.isOff(proxy)) {
        found.add(
            new Discrepancy(
                Kind.NEIGHBOUR,
                Forwarding.name(proxy),
                "0, so nobody answers for the container's gateway 169.254.1.1",
                "",
                "`sysctl -w %s=1`".formatted(Forwarding.name(proxy))));
      }
      Optional<Link> way = host.leavesBy(ContainerCheck.CALICO_GATEWAY_4);
      if (way.filter(link -> link.index() != outside.index()).isEmpty()) {
        found.add(
            new Discrepancy(
                Kind.DEFAULT_ROUTE,
                "the host's default route",
                "missing, so the kernel does not answer for the gateway of Calico's pods,"
                    + " 169.254.1.1, and none of them reaches anything",
                "",
                "`ip route add default via GATEWAY`, or any route to 169.254.1.1 that leads"
                    + " elsewhere than to pods"));
      }
    }
    if (addresses.stream().anyMatch(IpAddress::isV6)
        && host.addressesOf(outside).stream()
            .noneMatch(one -> one.prefix().address().equals(ContainerCheck.CALICO_GATEWAY_6))) {
      found.add(
          new Discrepancy(
              Kind.NEIGHBOUR,
              "%s on %s, the container's IPv6 gateway"
                  .formatted(ContainerCheck.CALICO_GATEWAY_6, outside.name()),
              "missing",
              "",
              "`ip -6 address add %s/64 dev %s nodad`"
                  .formatted(ContainerCheck.CALICO_GATEWAY_6, outside.name())));
    }
  }
}
