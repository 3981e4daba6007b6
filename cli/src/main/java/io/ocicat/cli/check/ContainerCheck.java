package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.AddressFlag;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Checks the container's side: its interface, its addresses and its routes. */
record ContainerCheck(ExpectedAttachment expected, NamespaceState container, Link link) {
  static final IpAddress CALICO_GATEWAY_4 = IpAddress.parse("169.254.1.1");
  static final IpAddress CALICO_GATEWAY_6 = IpAddress.parse("fe80::ecee:eeff:feee:eeee");

  List<Discrepancy> run() {
    List<Discrepancy> found = new ArrayList<>();
    if (!link.isUp() && !expected.addresses().isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.INTERFACE_DOWN,
              "interface " + link.name(),
              "down",
              "up",
              "somebody took it down: %s, or restart the pod"
                  .formatted(inside("ip link set %s up".formatted(link.name())))));
    }
    expected.inside().ifPresent(recorded -> link(recorded, found));
    List<Address> present = container.addressesOf(link);
    for (IpPrefix wanted : expected.addresses()) {
      address(wanted, present, found);
    }
    if (found.isEmpty()) {
      // Without an address or with the link down the kernel drops routes: one cause is enough.
      routes(found);
    }
    return found;
  }

  private void link(Interface recorded, List<Discrepancy> found) {
    recorded
        .macAddress()
        .filter(mac -> !mac.equals(link.mac()))
        .ifPresent(
            mac ->
                found.add(
                    new Discrepancy(
                        Kind.MAC,
                        "hardware address of " + link.name(),
                        String.valueOf(link.mac()),
                        mac.toString(),
                        inside("ip link set %s address %s".formatted(link.name(), mac))
                            + ", or restart the pod")));
    if (recorded.mtu() > 0 && recorded.mtu() != link.mtu()) {
      found.add(
          new Discrepancy(
              Kind.MTU,
              "MTU of " + link.name(),
              Integer.toString(link.mtu()),
              Integer.toString(recorded.mtu()),
              inside("ip link set %s mtu %d".formatted(link.name(), recorded.mtu()))));
    }
  }

  private void address(IpPrefix wanted, List<Address> present, List<Discrepancy> found) {
    Optional<Address> there =
        present.stream().filter(one -> one.prefix().equals(wanted)).findFirst();
    if (there.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.ADDRESS,
              link.name() + " has no address " + wanted,
              present.isEmpty() ? "it has none" : "it has " + describe(present),
              "",
              "somebody removed it: restart the pod"));
    } else if (there.get().has(AddressFlag.DADFAILED)) {
      found.add(
          new Discrepancy(
              Kind.DUPLICATE_ADDRESS,
              "address " + wanted,
              "refused by the kernel, because another host answers for it",
              "",
              "find out who has it; `ocicat ipam why %s` shows whose it should be"
                  .formatted(wanted.address())));
    }
  }

  private static String describe(List<Address> present) {
    return String.join(", ", present.stream().map(one -> one.prefix().toString()).toList());
  }

  private void routes(List<Discrepancy> found) {
    // Routes in Calico's result describe the node's block; the container's own routes use a gateway
    // that is the same everywhere.
    expected.result().stream()
        .filter(_ -> !expected.isCalico())
        .flatMap(result -> result.routes().stream())
        .filter(route -> has(IpFamily.of(route.dst().address())))
        .forEach(
            wanted -> {
              int table =
                  wanted.table() == null ? RouteTable.MAIN : Math.toIntExact(wanted.table());
              List<Route> there = container.routesTo(wanted.dst().network(), table);
              IpAddress gateway = wanted.gw();
              if (there.stream().noneMatch(leadsTo(gateway))) {
                found.add(missing(wanted.dst().toString(), Optional.ofNullable(gateway), there));
              }
            });
    if (expected.isCalico()) {
      for (IpFamily family : IpFamily.values()) {
        IpAddress gateway = family == IpFamily.V4 ? CALICO_GATEWAY_4 : CALICO_GATEWAY_6;
        if (has(family)
            && !isMoving()
            && container.routes(family).stream().noneMatch(leadsTo(gateway))) {
          found.add(missing("default", Optional.of(gateway), List.of()));
        }
      }
    }
  }

  private static Predicate<Route> leadsTo(@Nullable IpAddress gateway) {
    return route -> gateway == null || route.gateway().filter(gateway::equals).isPresent();
  }

  /** A virtual machine that is about to move here gets its routes from Felix, later. */
  boolean isMoving() {
    return expected.isCalico()
        && expected.pod().contains("/virt-launcher-")
        && expected.result().map(result -> result.routes().isEmpty()).orElse(false);
  }

  private boolean has(IpFamily family) {
    return expected.ips().stream()
        .map(IpConfig::address)
        .anyMatch(address -> IpFamily.of(address.address()) == family);
  }

  private Discrepancy missing(String to, Optional<IpAddress> gateway, List<Route> there) {
    String via = gateway.map(address -> " via " + address).orElse("");
    return new Discrepancy(
        Kind.CONTAINER_ROUTE,
        "the container's route to " + to + via,
        there.isEmpty() ? "missing" : there.getFirst().toString(),
        "",
        "somebody removed it: %s, or restart the pod"
            .formatted(inside("ip route add %s%s dev %s".formatted(to, via, link.name()))));
  }

  private String inside(String command) {
    return "`nsenter --net=%s %s`".formatted(expected.netns(), command);
  }
}
