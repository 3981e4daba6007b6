package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which encapsulated packets the node takes. Whoever can send one chooses the source of the packet
 * inside, and appears as any workload: so only nodes may, and no workload.
 *
 * @param vxlan whose packets the VXLAN device of a family takes; nothing is dropped for a family
 *     whose device does not exist
 * @param ipip the same for IPIP; empty without the device
 * @param port of VXLAN
 * @param closedToVxlan the prefixes of the interfaces whose workloads may not send VXLAN packets
 * @param closedToIpip the same for IPIP
 */
public record TunnelFilter(
    Map<IpFamily, List<IpPrefix>> vxlan,
    Optional<List<IpPrefix>> ipip,
    int port,
    List<String> closedToVxlan,
    List<String> closedToIpip) {
  public TunnelFilter {
    vxlan = Map.copyOf(vxlan);
    closedToVxlan = List.copyOf(closedToVxlan);
    closedToIpip = List.copyOf(closedToIpip);
  }

  static TunnelFilter of(WatchedCluster view, AgentConfig config, DesiredState state) {
    Map<IpFamily, List<IpPrefix>> vxlan = new EnumMap<>(IpFamily.class);
    for (IpFamily family : IpFamily.values()) {
      if (isPresent(state, VxlanDevice.calico(family))) {
        vxlan.put(
            family,
            senders(
                view,
                config,
                family,
                node -> node.vxlanAddress(family).flatMap(_ -> node.address(family))));
      }
    }
    return new TunnelFilter(
        vxlan,
        isPresent(state, IpipDevice.NAME)
            ? Optional.of(senders(view, config, IpFamily.V4, node -> node.address(IpFamily.V4)))
            : Optional.empty(),
        config.vxlanPort(),
        config.vxlanFromWorkloads() ? List.of() : config.interfacePrefixes(),
        config.ipipFromWorkloads() ? List.of() : config.interfacePrefixes());
  }

  private static boolean isPresent(DesiredState state, String device) {
    return state.tunnel(device).orElse(null) instanceof DesiredTunnel.Present;
  }

  private static List<IpPrefix> senders(
      WatchedCluster view,
      AgentConfig config,
      IpFamily family,
      Function<ClusterNode, Optional<IpAddress>> address) {
    List<IpPrefix> senders = new ArrayList<>();
    view.nodes().values().stream()
        .flatMap(node -> address.apply(node).stream())
        .map(IpPrefix::host)
        .forEach(senders::add);
    config.externalNodes().stream()
        .filter(prefix -> IpFamily.of(prefix.address()) == family)
        .forEach(senders::add);
    // nf_tables refuses ranges that overlap.
    return IpPrefix.withoutNested(senders);
  }
}
