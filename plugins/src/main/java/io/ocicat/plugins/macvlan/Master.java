package io.ocicat.plugins.macvlan;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteType;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/** The master of a macvlan device: the interface that is shared. */
final class Master {
  private Master() {}

  /**
   * The interface that the configuration names, or the one with the default route.
   *
   * @param net where to look
   * @throws CniException when it does not exist, or its MTU is less than the one asked for
   */
  static Link find(NetnsSockets net, MacvlanConf conf) {
    Link master = conf.master().isEmpty() ? onDefaultRoute(net) : named(net, conf.master());
    if (conf.mtu() > master.mtu()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "invalid MTU %d, must be [0, master MTU(%d)]".formatted(conf.mtu(), master.mtu()),
          "the master is \"%s\"".formatted(master.name()));
    }
    return master;
  }

  private static Link named(NetnsSockets net, String name) {
    return net.link(name)
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "failed to lookup master \"%s\": link not found".formatted(name)));
  }

  /** IPv4 before IPv6, and of several the one with the lowest metric. */
  private static Link onDefaultRoute(NetnsSockets net) {
    return Arrays.stream(IpFamily.values())
        .flatMap(family -> defaultRoute(net, family).stream())
        .findFirst()
        .flatMap(device -> net.route().find(Links.byIndex(device.index())))
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "no default route interface found",
                    "set \"master\" to the interface to share"));
  }

  private static Optional<Device> defaultRoute(NetnsSockets net, IpFamily family) {
    RouteFilter filter = RouteFilter.main(family).type(RouteType.UNICAST);
    return net.route().list(Routes.list(filter)).stream()
        .filter(route -> route.destination().length() == 0)
        .sorted(Comparator.comparingLong(Route::metric))
        .flatMap(route -> route.hops().stream())
        .flatMap(hop -> Optional.ofNullable(hop.device()).stream())
        .findFirst();
  }
}
