package io.ocicat.plugins.portmap;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Query;
import io.ocicat.netlink.conntrack.Connection;
import io.ocicat.netlink.conntrack.ConnectionFilter;
import io.ocicat.netlink.conntrack.Connections;
import io.ocicat.netlink.conntrack.IpProtocol;
import io.ocicat.netlink.conntrack.Transport;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * What the kernel remembers of UDP clients. One that keeps sending from the same port goes where
 * its first packet went, whatever the rules say since; so after they changed it has to be
 * forgotten. Connections of TCP and SCTP end by themselves when their container does.
 *
 * <p>Each question costs the kernel a walk through its whole table, some milliseconds: there is one
 * for each address family with UDP ports, however many they are.
 */
final class StaleFlows {
  private StaleFlows() {}

  /** Before a port was forwarded its packets went to the host, or to another container. */
  static void forgetBefore(NetlinkSocket netfilter, Collection<Forward> forwards) {
    List<HostPort> ports = forwards.stream().map(Forward::port).toList();
    forget(netfilter, ports, _ -> true);
  }

  /** Once a port is not forwarded any more, nothing else of what goes there is touched. */
  static void forgetAfter(NetlinkSocket netfilter, Collection<Holding> gone) {
    List<HostPort> ports = gone.stream().map(Holding::port).toList();
    forget(
        netfilter,
        ports,
        flow ->
            gone.stream().anyMatch(one -> one.container().address().equals(flow.reply().source())));
  }

  private static void forget(
      NetlinkSocket netfilter, List<HostPort> ports, Predicate<Connection> also) {
    for (FamilySets family : FamilySets.BOTH) {
      List<HostPort> udp =
          ports.stream()
              .filter(port -> port.protocol() == Protocol.UDP)
              .filter(port -> FamilySets.of(port.address()) == family)
              .toList();
      if (!udp.isEmpty()) {
        Connections.purge(netfilter, to(family, udp).where(also));
      }
    }
  }

  private static Query<Connection> to(FamilySets family, List<HostPort> ports) {
    ConnectionFilter udp = ConnectionFilter.of(family.family).protocol(IpProtocol.UDP);
    ConnectionFilter filter =
        ports.size() == 1 ? udp.originalDestinationPort(ports.getFirst().number()) : udp;
    return Connections.list(filter)
        .where(flow -> ports.stream().anyMatch(port -> leads(flow, port)));
  }

  private static boolean leads(Connection flow, HostPort port) {
    return flow.original().transport() instanceof Transport.Ports(var _, int _, int destination)
        && destination == port.number()
        && (port.isOnAllAddresses() || port.address().equals(flow.original().destination()));
  }
}
