package io.ocicat.plugins.portmap;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.conntrack.Conntrack;
import io.ocicat.netlink.conntrack.ConntrackEntry;
import io.ocicat.netlink.conntrack.ConntrackFilter;
import io.ocicat.netlink.conntrack.IpProtocol;
import io.ocicat.netlink.conntrack.Transport;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Deletes connection tracking entries of UDP clients after forwards changed. A client that keeps
 * sending from the same port stays with the destination of its first packet, whatever the rules say
 * since, so its entry must be deleted. TCP and SCTP connections end by themselves when their
 * container does.
 *
 * <p>Each query makes the kernel walk its whole table, which takes some milliseconds: there is one
 * for each address family with UDP ports, however many they are.
 */
final class StaleFlows {
  private StaleFlows() {}

  /** Before a port was forwarded, its packets went to the host or to another container. */
  static void deleteBefore(NetlinkSocket netfilter, Collection<Forward> forwards) {
    List<HostPort> ports = forwards.stream().map(Forward::port).toList();
    forget(netfilter, ports, _ -> true);
  }

  /** Once a port is no longer forwarded, only entries that lead to the container are deleted. */
  static void deleteAfter(NetlinkSocket netfilter, Collection<StoredForward> gone) {
    List<HostPort> ports = gone.stream().map(StoredForward::port).toList();
    forget(
        netfilter,
        ports,
        flow ->
            gone.stream().anyMatch(one -> one.container().address().equals(flow.reply().source())));
  }

  private static void forget(
      NetlinkSocket netfilter, List<HostPort> ports, Predicate<ConntrackEntry> also) {
    for (FamilySets family : FamilySets.BOTH) {
      List<HostPort> udp =
          ports.stream()
              .filter(port -> port.protocol() == Protocol.UDP)
              .filter(port -> FamilySets.of(port.address()) == family)
              .toList();
      if (!udp.isEmpty()) {
        Conntrack.purge(netfilter, to(family, udp).where(also));
      }
    }
  }

  private static NetlinkQuery<ConntrackEntry> to(FamilySets family, List<HostPort> ports) {
    ConntrackFilter udp = ConntrackFilter.of(family.family).protocol(IpProtocol.UDP);
    ConntrackFilter filter =
        ports.size() == 1 ? udp.originalDestinationPort(ports.getFirst().number()) : udp;
    return Conntrack.list(filter).where(flow -> ports.stream().anyMatch(port -> leads(flow, port)));
  }

  private static boolean leads(ConntrackEntry flow, HostPort port) {
    return flow.original().transport() instanceof Transport.Ports(var _, int _, int destination)
        && destination == port.number()
        && (port.isOnAllAddresses() || port.address().equals(flow.original().destination()));
  }
}
