package io.ocicat.plugins.calico;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What leaves a node with the node's address, by the rule that Felix has: whatever comes from a
 * pool with {@code natOutgoing} and goes to no address of any pool.
 *
 * @param sources the pools with {@code natOutgoing}, also disabled ones, none within another
 * @param internal where addresses of pods are seen as they are, none within another
 */
record NatOutgoing(List<IpPrefix> sources, List<IpPrefix> internal) {
  private static final Set<IpPool.Use> SERVICES = Set.of(IpPool.Use.LOAD_BALANCER);

  NatOutgoing {
    sources = disjoint(sources);
    internal = disjoint(internal);
  }

  /** Addresses that are only for services are no pod's, and are masqueraded as any other. */
  static NatOutgoing of(List<IpPool> pools) {
    return new NatOutgoing(
        pools.stream().filter(IpPool::natOutgoing).map(IpPool::cidr).toList(),
        pools.stream().filter(pool -> !pool.uses().equals(SERVICES)).map(IpPool::cidr).toList());
  }

  /** With these addresses of nodes among those that see pods as they are. */
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

  /** nf_tables refuses ranges that overlap. */
  private static List<IpPrefix> disjoint(List<IpPrefix> prefixes) {
    List<IpPrefix> kept = new ArrayList<>();
    prefixes.stream()
        .map(IpPrefix::network)
        .sorted(Comparator.comparingInt(IpPrefix::length))
        .filter(prefix -> kept.stream().noneMatch(prefix::overlaps))
        .forEach(kept::add);
    kept.sort(Comparator.naturalOrder());
    return List.copyOf(kept);
  }
}
