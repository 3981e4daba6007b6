package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterEvaluation;
import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.WorkloadFilter;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.conntrack.Conntrack;
import io.ocicat.netlink.conntrack.ConntrackEntry;
import io.ocicat.netlink.conntrack.ConntrackFilter;
import io.ocicat.netlink.conntrack.Transport;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Ends connections of local workloads that policy denies by now. The filter accepts packets of an
 * established connection without looking at rules, so a connection that was allowed once goes on
 * under a policy that denies it; without its entry in the kernel's table, its next packet counts as
 * the first of a flow. Connections that are still allowed are not touched: deleting their entries
 * would lose their translation.
 */
final class DeniedConnections {
  private final NetlinkSocket net;
  private final DesiredFilter filter;
  private final FilterEvaluation evaluation;
  private final LinkTable links;
  private final RepairLog log;

  DeniedConnections(NetlinkSocket net, DesiredFilter filter, LinkTable links, RepairLog log) {
    this.net = net;
    this.filter = filter;
    this.evaluation = new FilterEvaluation(filter);
    this.links = links;
    this.log = log;
  }

  /**
   * Ends what is denied now.
   *
   * @param workloads the interfaces of local workloads by address
   */
  void end(Map<IpAddress, String> workloads) {
    Set<IpAddress> own = new HashSet<>();
    for (Link link : links.all()) {
      links.addresses(link.index()).stream().map(IpPrefix::address).forEach(own::add);
    }
    for (IpFamily family : IpFamily.values()) {
      try {
        int ended =
            Conntrack.purge(
                net,
                Conntrack.list(ConntrackFilter.of(family))
                    .where(entry -> isDenied(entry, workloads, own)));
        if (ended > 0) {
          log.write("%d %s connections that policy denies were ended".formatted(ended, family));
        }
      } catch (NetlinkException e) {
        log.write("connections that policy denies may go on: " + e.getMessage());
      }
    }
  }

  private boolean isDenied(
      ConntrackEntry entry, Map<IpAddress, String> workloads, Set<IpAddress> own) {
    FirstPacket packet = packet(entry);
    return rules(packet.source(), workloads)
            .map(workload -> denies(workload.egress(), packet))
            .orElse(false)
        || (!own.contains(packet.source())
            && rules(packet.destination(), workloads)
                .map(workload -> denies(workload.ingress(), packet))
                .orElse(false));
  }

  private Optional<WorkloadFilter> rules(IpAddress address, Map<IpAddress, String> workloads) {
    return Optional.ofNullable(workloads.get(address)).map(filter.workloads()::get);
  }

  private boolean denies(EndpointRules rules, FirstPacket packet) {
    return !evaluation.decide(rules, packet).allowed();
  }

  /** The source before this node translates it, the destination after. */
  private static FirstPacket packet(ConntrackEntry entry) {
    IpAddress source = entry.original().source();
    IpAddress destination = entry.reply().source();
    int protocol = entry.protocol().number();
    return switch (entry.original().transport()) {
      case Transport.Ports ports ->
          new FirstPacket(
              source,
              destination,
              protocol,
              OptionalInt.of(ports.source()),
              OptionalInt.of(
                  entry.reply().transport() instanceof Transport.Ports reply
                      ? reply.source()
                      : ports.destination()),
              Optional.empty());
      case Transport.Icmp icmp ->
          new FirstPacket(
              source,
              destination,
              protocol,
              OptionalInt.empty(),
              OptionalInt.empty(),
              Optional.of(new IcmpMatch(icmp.type(), OptionalInt.of(icmp.code()))));
      case Transport.Bare _ -> FirstPacket.of(source, destination, protocol);
    };
  }
}
