package io.ocicat.plugins.ptp;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.net.ContainerInterface;
import io.ocicat.plugins.net.Forwarding;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.function.Predicate;

/** Implements CHECK: compares the result of ADD with the kernel, at both ends of the veth pair. */
final class PtpCheck {
  private final NetnsSockets host;
  private final NetnsSockets container;
  private final Result result;
  private final Interface inside;

  /**
   * Starts from the result of ADD about the container's interface.
   *
   * @throws CniException when the interface is not in it
   */
  PtpCheck(
      NetnsSockets host, NetnsSockets container, Result result, String sandbox, String ifName) {
    this.host = host;
    this.container = container;
    this.result = result;
    this.inside =
        recorded(
            "container interface \"%s\" in %s".formatted(ifName, sandbox),
            link -> link.name().equals(ifName) && link.sandbox().equals(sandbox));
  }

  /**
   * Checks both ends, addresses and routes.
   *
   * @throws CniException naming the first thing that is missing or different
   */
  void verify() {
    Link near = container.requireLink(inside.name());
    requireUpVeth(near, inside);
    ContainerInterface.verify(container, inside.name(), result);

    Link far = hostEnd(near);
    for (PtpAddress address : PtpAddress.of(result.withIps(own()))) {
      verifyContainerRoutes(Device.of(near), address);
      verifyHost(Device.of(far), address);
    }
  }

  /** The addresses of the interface. */
  List<IpPrefix> addresses() {
    return own().stream().map(IpConfig::address).toList();
  }

  /** Addresses of other interfaces come from other plugins. */
  private List<IpConfig> own() {
    return result.ips().stream()
        .filter(ip -> result.interfaceOf(ip).map(inside::equals).orElse(true))
        .toList();
  }

  private Link hostEnd(Link near) {
    Link far =
        host.route()
            .find(Links.byIndex(near.peer()))
            .filter(link -> link.kind().equals("veth") && link.peer() == near.index())
            .orElseThrow(
                () -> wrong("the other end of \"%s\" is not on this host".formatted(near.name())));
    Interface recorded =
        recorded(
            "host interface \"%s\", the other end of \"%s\"".formatted(far.name(), near.name()),
            link -> link.isOnHost() && link.name().equals(far.name()));
    requireUpVeth(far, recorded);
    return far;
  }

  private void verifyContainerRoutes(Device veth, PtpAddress address) {
    List<Route> present =
        container.route().list(Routes.list(RouteFilter.main(address.family()).dev(veth)));
    for (Route wanted : PtpAddress.inContainer(List.of(address), veth, Result.empty())) {
      if (present.stream()
          .noneMatch(
              route ->
                  route.destination().equals(wanted.destination())
                      && route.gateway().equals(wanted.gateway()))) {
        throw wrong("expected route %s not found".formatted(wanted));
      }
    }
  }

  private void verifyHost(Device veth, PtpAddress address) {
    boolean hasGateway =
        host.route().list(Addresses.list(veth)).stream()
            .map(Address::prefix)
            .anyMatch(address.gatewayPrefix()::equals);
    if (!hasGateway) {
      throw wrong(
          "host interface \"%s\" does not have the gateway address %s"
              .formatted(veth.name(), address.gateway()));
    }
    Route wanted = address.onHost(veth);
    boolean hasRoute =
        host.route().list(Routes.list(RouteFilter.main(address.family()).dev(veth))).stream()
            .anyMatch(route -> route.destination().equals(wanted.destination()));
    if (!hasRoute) {
      throw wrong("expected route %s not found on the host".formatted(wanted));
    }
    if (!Forwarding.isEnabled(host, address.family())) {
      throw wrong("%s forwarding is off on the host".formatted(address.family()));
    }
  }

  private Interface recorded(String what, Predicate<Interface> wanted) {
    return result.interfaces().stream()
        .filter(wanted)
        .findFirst()
        .orElseThrow(() -> wrong("prevResult has no %s".formatted(what)));
  }

  private static void requireUpVeth(Link link, Interface recorded) {
    if (!link.kind().equals("veth")) {
      throw wrong(
          "\"%s\" is not a veth but %s"
              .formatted(link.name(), link.kind().isEmpty() ? "hardware" : link.kind()));
    }
    if (!recorded.mac().isEmpty() && !recorded.mac().equalsIgnoreCase(String.valueOf(link.mac()))) {
      throw wrong(
          "\"%s\" has the hardware address %s, not %s as prevResult says"
              .formatted(link.name(), link.mac(), recorded.mac()));
    }
    if (!link.isUp()) {
      throw wrong("interface \"%s\" is down".formatted(link.name()));
    }
  }

  private static CniException wrong(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }
}
