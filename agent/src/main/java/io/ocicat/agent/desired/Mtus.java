package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The MTUs of a node.
 *
 * @param host of the interface that carries the node's traffic
 * @param ipip of the IPIP tunnel, if there is one
 * @param vxlan of the IPv4 VXLAN device, if there is one
 * @param vxlanV6 of the IPv6 VXLAN device, if there is one
 * @param pods of pods' interfaces: what fits into every tunnel that is in use
 */
public record Mtus(int host, int ipip, int vxlan, int vxlanV6, int pods) {
  private static final int IPIP_OVERHEAD = 20;
  private static final int VXLAN_OVERHEAD = 50;
  private static final int VXLAN_V6_OVERHEAD = 70;

  /** Derives them from the host's. A configured MTU counts even if it is greater than that. */
  public static Mtus of(int host, AgentConfig config, Collection<IpPool> pools) {
    int ipip = configuredOr(config.ipipMtu(), host - IPIP_OVERHEAD);
    int vxlan = configuredOr(config.vxlanMtu(), host - VXLAN_OVERHEAD);
    int vxlanV6 = configuredOr(config.vxlanMtuV6(), host - VXLAN_V6_OVERHEAD);
    List<Integer> used = new ArrayList<>();
    if (has(pools, pool -> pool.ipip() != IpPool.Tunnel.NEVER)) {
      used.add(ipip);
    }
    if (has(pools, pool -> isVxlan(pool, IpVersion.V4))) {
      used.add(vxlan);
    }
    if (has(pools, pool -> isVxlan(pool, IpVersion.V6))) {
      used.add(vxlanV6);
    }
    return new Mtus(
        host, ipip, vxlan, vxlanV6, used.stream().mapToInt(Integer::intValue).min().orElse(host));
  }

  /** The MTU of the VXLAN device of a family. */
  int vxlan(IpFamily family) {
    return family == IpFamily.V4 ? vxlan : vxlanV6;
  }

  private static int configuredOr(int configured, int automatic) {
    return configured == 0 ? automatic : configured;
  }

  private static boolean has(Collection<IpPool> pools, Predicate<IpPool> property) {
    return pools.stream().anyMatch(property);
  }

  private static boolean isVxlan(IpPool pool, IpVersion version) {
    return pool.version() == version && pool.vxlan() != IpPool.Tunnel.NEVER;
  }
}
