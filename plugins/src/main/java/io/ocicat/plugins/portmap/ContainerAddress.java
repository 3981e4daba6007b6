package io.ocicat.plugins.portmap;

import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteLookup;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A container's address and the host interface through which it is reached.
 *
 * @param link the interface; {@link #NO_LINK} when there is none
 */
record ContainerAddress(IpAddress address, String link) {
  /** An interface with no container behind it, so it can stand for none. */
  static final String NO_LINK = "lo";

  boolean hasLink() {
    return !link.equals(NO_LINK);
  }

  /**
   * The first address of each family of a container's interface, according to the result of ADD.
   */
  static List<ContainerAddress> of(NetnsSockets host, Result result, String ifName) {
    List<ContainerAddress> places = new ArrayList<>();
    for (Predicate<IpAddress> family :
        List.<Predicate<IpAddress>>of(IpAddress::isV4, IpAddress::isV6)) {
      result.ips().stream()
          .filter(ip -> isOn(ifName, result, ip))
          .map(ip -> ip.address().address())
          .filter(family)
          .findFirst()
          .ifPresent(address -> places.add(new ContainerAddress(address, linkTo(host, address))));
    }
    return places;
  }

  /** An address without an interface in the result counts as the container's. */
  private static boolean isOn(String ifName, Result result, IpConfig ip) {
    Optional<Interface> owner = result.interfaceOf(ip);
    return owner.isEmpty() || (owner.get().name().equals(ifName) && !owner.get().isOnHost());
  }

  /**
   * A route with a gateway, such as the default route, does not lead to a link of the container's
   * own.
   */
  private static String linkTo(NetnsSockets host, IpAddress address) {
    try {
      return host.route()
          .find(Routes.lookup(RouteLookup.to(address)))
          .filter(route -> route.gateway().isEmpty())
          .flatMap(Route::device)
          .flatMap(device -> host.route().find(Links.byIndex(device.index())))
          .map(Link::name)
          .orElse(NO_LINK);
    } catch (NetlinkException e) {
      // A route that rejects packets leads nowhere.
      return NO_LINK;
    }
  }
}
