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
 * Where a container is, seen from the host.
 *
 * @param link the host's interface by which it is reached; {@link #NO_LINK} when there is none
 */
record ContainerAddress(IpAddress address, String link) {
  /** No container is behind it, so it can stand for none. */
  static final String NO_LINK = "lo";

  boolean hasLink() {
    return !link.equals(NO_LINK);
  }

  /** Where a container's interface is by the result of ADD: its first address of each family. */
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

  /** An address that names no interface of the result counts as the container's. */
  private static boolean isOn(String ifName, Result result, IpConfig ip) {
    Optional<Interface> owner = result.interfaceOf(ip);
    return owner.isEmpty() || (owner.get().name().equals(ifName) && !owner.get().isOnHost());
  }

  /** By a gateway, as to the rest of the world, leads no link of the container's own. */
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
      // A route that refuses packets leads nowhere.
      return NO_LINK;
    }
  }
}
