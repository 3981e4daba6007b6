package io.ocicat.agent;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.Failsafe;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the tunnels between nodes open where a policy of a host endpoint denies everything, as
 * Felix does: encapsulated packets of other nodes are failsafes. Others' are dropped elsewhere.
 */
final class TunnelFailsafes {
  private static final int UDP = 17;
  private static final int IPIP = 4;

  private TunnelFailsafes() {}

  /** The settings of the filter, with the tunnels that pools use. */
  static FilterSettings in(AgentConfig config, WatchedCluster view) {
    boolean vxlan = view.pools().stream().anyMatch(it -> it.vxlan() != IpPool.Tunnel.NEVER);
    boolean ipip = view.pools().stream().anyMatch(it -> it.ipip() != IpPool.Tunnel.NEVER);
    List<Failsafe> tunnels = new ArrayList<>();
    for (ClusterNode node : vxlan || ipip ? view.nodes().values() : List.<ClusterNode>of()) {
      for (IpFamily family : IpFamily.values()) {
        Optional<IpPrefix> address = node.address(family).map(IpPrefix::host);
        if (vxlan && address.isPresent()) {
          tunnels.add(new Failsafe(UDP, config.vxlanPort(), address));
        }
        if (ipip && address.map(IpPrefix::address).filter(IpAddress::isV4).isPresent()) {
          tunnels.add(new Failsafe(IPIP, 0, address));
        }
      }
    }
    FilterSettings plain = config.filter();
    return new FilterSettings(
        plain.workloadPrefixes(),
        plain.ipv6(),
        plain.toHost(),
        plain.reject(),
        plain.dropInvalid(),
        plain.logPrefix(),
        concat(plain.failsafeIngress(), tunnels),
        concat(plain.failsafeEgress(), tunnels));
  }

  private static List<Failsafe> concat(List<Failsafe> some, List<Failsafe> others) {
    List<Failsafe> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }
}
