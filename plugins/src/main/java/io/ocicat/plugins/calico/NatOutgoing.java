package io.ocicat.plugins.calico;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which traffic is masqueraded on a node, by Felix's rule: what comes from a pool with {@code
 * natOutgoing} and goes to an address outside all pools.
 *
 * @param sources the pools with {@code natOutgoing}, including disabled ones, none within another
 * @param internal the destinations that see the pods' own addresses, none within another
 */
record NatOutgoing(List<IpPrefix> sources, List<IpPrefix> internal) {
  private static final Set<IpPool.Use> SERVICES = Set.of(IpPool.Use.LOAD_BALANCER);

  NatOutgoing {
    // nf_tables refuses ranges that overlap.
    sources = IpPrefix.withoutNested(sources);
    internal = IpPrefix.withoutNested(internal);
  }

  /**
   * Pools for service addresses contain no pods, so traffic to them is masqueraded like any other.
   */
  static NatOutgoing of(List<IpPool> pools) {
    return new NatOutgoing(
        pools.stream().filter(IpPool::natOutgoing).map(IpPool::cidr).toList(),
        pools.stream().filter(pool -> !pool.uses().equals(SERVICES)).map(IpPool::cidr).toList());
  }

  /** The same with these node addresses among the destinations that see the pods' own addresses. */
  NatOutgoing andTo(List<IpAddress> nodes) {
    return new NatOutgoing(
        sources, Stream.concat(internal.stream(), nodes.stream().map(IpPrefix::host)).toList());
  }

  boolean isNeeded() {
    return !sources.isEmpty();
  }

  boolean masquerades(IpAddress address) {
    return sources.stream().anyMatch(pool -> pool.contains(address));
  }
}
