package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the node translates, and which packets it stops because nobody would translate them: a pure
 * function of the view and the configuration.
 *
 * @param masqueraded the sources whose packets to other destinations than {@link #internal} get an
 *     address of the node; none within another
 * @param internal the destinations that see the workloads' own addresses; none within another
 * @param floating external addresses and what they stand for
 * @param services ranges of service addresses: a packet that is forwarded to one has met no service
 *     and would come back for ever
 * @param tunnels the tunnel devices and their addresses: what the node itself sends through one has
 *     that address
 * @param filter which encapsulated packets are dropped
 */
public record NatRules(
    List<IpPrefix> masqueraded,
    List<IpPrefix> internal,
    Optional<IpAddress> masqueradeAddress,
    String masqueradePorts,
    Map<IpAddress, IpAddress> floating,
    List<IpPrefix> services,
    AgentConfig.ServiceLoopPrevention serviceLoop,
    Map<String, IpAddress> tunnels,
    TunnelFilter filter) {
  private static final List<String> DEVICES =
      List.of(VxlanDevice.calico(IpFamily.V4), VxlanDevice.calico(IpFamily.V6), IpipDevice.NAME);
  private static final Set<IpPool.Use> SERVICES_ONLY = Set.of(IpPool.Use.LOAD_BALANCER);

  public NatRules {
    // nf_tables refuses ranges that overlap.
    masqueraded = IpPrefix.withoutNested(masqueraded);
    internal = IpPrefix.withoutNested(internal);
    floating = Map.copyOf(floating);
    services = IpPrefix.withoutNested(services);
    tunnels = Map.copyOf(tunnels);
  }

  static NatRules of(WatchedCluster view, AgentConfig config, DesiredState state) {
    Stream<IpPrefix> pools = view.pools().stream().filter(NatRules::hasWorkloads).map(IpPool::cidr);
    Stream<IpPrefix> hosts =
        config.natOutgoingExcludesHosts()
            ? view.nodes().values().stream()
                .map(ClusterNode::addresses)
                .flatMap(List::stream)
                .map(IpPrefix::host)
            : Stream.empty();
    Map<String, IpAddress> tunnels = new HashMap<>();
    DEVICES.forEach(
        name -> {
          if (state.tunnel(name).orElse(null) instanceof DesiredTunnel.Present(TunnelDevice it)) {
            tunnels.put(name, it.tunnelAddress());
          }
        });
    return new NatRules(
        view.pools().stream().filter(IpPool::natOutgoing).map(IpPool::cidr).toList(),
        Stream.concat(pools, hosts).toList(),
        config.natOutgoingAddress(),
        config.natPortRange(),
        config.floatingIps() ? floating(view) : Map.of(),
        view.services(),
        config.serviceLoopPrevention(),
        tunnels,
        TunnelFilter.of(view, config, state));
  }

  /** Pools for service addresses alone contain no workloads. */
  static boolean hasWorkloads(IpPool pool) {
    return !pool.uses().equals(SERVICES_ONLY);
  }

  /** An address that two endpoints claim goes to the one whose name sorts first. */
  private static Map<IpAddress, IpAddress> floating(WatchedCluster view) {
    Map<IpAddress, IpAddress> floating = new TreeMap<>();
    view.endpoints().values().stream()
        .sorted(Comparator.comparing(endpoint -> endpoint.key().describe()))
        .map(LocalEndpoint::floating)
        .flatMap(List::stream)
        .forEach(one -> floating.putIfAbsent(one.external(), one.internal()));
    return floating;
  }
}
