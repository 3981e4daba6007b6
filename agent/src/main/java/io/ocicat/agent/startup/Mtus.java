package io.ocicat.agent.startup;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
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
  private static final int UNKNOWN = 1460;
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

  /**
   * Determines the host's MTU. Felix takes the least of all interfaces that match the pattern,
   * which a slow interface that has nothing to do with pods makes too small. If the interfaces with
   * the node's addresses match, only they count here.
   *
   * @param nodeInterfaces the interfaces with the node's addresses
   */
  public static int ofHost(NetNs host, AgentConfig config, Set<String> nodeInterfaces) {
    List<HostInterface> running;
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.ROUTE, host)) {
      running = HostInterface.all(socket).stream().filter(HostInterface::running).toList();
    }
    Predicate<HostInterface> ofNode = it -> nodeInterfaces.contains(it.name());
    Predicate<HostInterface> matching = it -> config.mtuIfacePattern().matcher(it.name()).find();
    for (Predicate<HostInterface> choice : List.of(ofNode.and(matching), matching, ofNode)) {
      OptionalInt least = running.stream().filter(choice).mapToInt(HostInterface::mtu).min();
      if (least.isPresent()) {
        return least.getAsInt();
      }
    }
    return UNKNOWN;
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
