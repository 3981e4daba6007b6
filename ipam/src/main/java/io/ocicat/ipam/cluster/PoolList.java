package io.ocicat.ipam.cluster;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * All pools of the datastore.
 *
 * @param all in name order
 * @param unreadable what is wrong with those that cannot be read; no address is assigned from them
 */
public record PoolList(List<Revisioned<IpPool>> all, List<String> unreadable) {

  public static PoolList of(Collection<Resource> resources) {
    List<Revisioned<IpPool>> pools = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    for (Resource resource : resources) {
      try {
        pools.add(new Revisioned<>(IpPool.of(resource), resource.key(), resource.revision()));
      } catch (CorruptException e) {
        unreadable.add(String.valueOf(e.getMessage()));
      }
    }
    pools.sort(Comparator.comparing(pool -> pool.value().name()));
    return new PoolList(List.copyOf(pools), List.copyOf(unreadable));
  }

  /** A suffix for messages that no pool exists. */
  String unreadableSuffix() {
    return unreadable.isEmpty() ? "" : "; " + String.join("; ", unreadable);
  }

  /** Returns the enabled pool that contains an address. */
  public Optional<Revisioned<IpPool>> enabledFor(IpAddress address) {
    return all.stream()
        .filter(pool -> pool.value().enabled() && pool.value().cidr().contains(address))
        .findFirst();
  }

  public Revisioned<IpPool> requireEnabledFor(IpAddress address) {
    return enabledFor(address)
        .orElseThrow(
            () ->
                new IpamException(
                    IpamException.Reason.OUTSIDE_POOLS,
                    "address %s is in no enabled pool (The provided IP address is not in a configured pool): ask for one that is%s"
                        .formatted(address, unreadableSuffix())));
  }

  /** Returns the block that contains an address, if it is in a pool, enabled or not. */
  public Optional<IpPrefix> blockOf(IpAddress address) {
    return all.stream()
        .filter(pool -> pool.value().cidr().contains(address))
        .findFirst()
        .map(pool -> blockOf(address, pool.value()));
  }

  public static IpPrefix blockOf(IpAddress address, IpPool pool) {
    return IpPrefix.of(address, pool.blockSize()).network();
  }
}
