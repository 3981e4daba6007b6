package io.ocicat.plugins.calico;

import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.nft.Value;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells a hand-over whether we masquerade the traffic of a network's pools, which Calico leaves to
 * Felix.
 */
public final class NatOutgoingHandOver {
  private NatOutgoingHandOver() {}

  public static boolean isOurs(NetnsSockets host, NetworkName network) {
    return host.hasNfTables()
        && host.netfilter().list(Tables.all()).stream()
            .anyMatch(table -> table.id().equals(new NatOutgoingTable(host, network).id()));
  }

  /** Whether it is the table of some network's pools. */
  public static boolean isOfPools(TableId table) {
    return table.name().startsWith(NatOutgoingTable.NAME);
  }

  /**
   * Whether somebody on this host has an address of the pools. The table knows no containers, so
   * their routes tell: whoever attached them, it is this table that masquerades them.
   */
  public static boolean isNeeded(NetnsSockets host, TableId table) {
    List<Element> pools =
        NatOutgoingTable.pools(table)
            .flatMap(set -> host.netfilter().list(Elements.in(set).noneWhen(Errno.ENOENT)).stream())
            .toList();
    return !pools.isEmpty()
        && Stream.of(IpFamily.V4, IpFamily.V6)
            .flatMap(family -> host.route().list(Routes.list(RouteFilter.main(family))).stream())
            .filter(NatOutgoingHandOver::isToAContainer)
            .map(route -> route.destination().address())
            .anyMatch(address -> pools.stream().anyMatch(pool -> has(pool, address)));
  }

  private static boolean isToAContainer(Route route) {
    return route.destination().first().equals(route.destination().last())
        && route.device().isPresent()
        && route.gateway().isEmpty();
  }

  private static boolean has(Element pool, IpAddress address) {
    Value wanted = Value.address(address);
    Value first = pool.first().getFirst();
    return first.type().equals(wanted.type())
        && first.bytes().compareTo(wanted.bytes()) <= 0
        && wanted.bytes().compareTo(pool.last().getFirst().bytes()) <= 0;
  }
}
