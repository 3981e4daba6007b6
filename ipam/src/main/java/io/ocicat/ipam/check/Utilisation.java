package io.ocicat.ipam.check;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolChoice;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.PoolUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the addresses in use per pool and block. */
public final class Utilisation {
  private final IpamRecords records;
  private final ClusterView view;
  private final Blocks blocks;

  public Utilisation(IpamRecords records, ClusterView view, Blocks blocks) {
    this.records = records;
    this.view = view;
    this.blocks = blocks;
  }

  public List<PoolUse> of(List<String> wanted) {
    List<Revisioned<IpPool>> pools = view.pools().all();
    Reservations reservations = view.reservations();
    Map<String, List<PoolUse.BlockUse>> byPool = new LinkedHashMap<>();
    List<PoolUse.BlockUse> orphans = new ArrayList<>();
    pools.forEach(pool -> byPool.put(pool.value().name(), new ArrayList<>()));
    for (IpamRecords.Stored<IpamBlock> block : records.blocks(ResourceQuery.of(Kind.IPAM_BLOCK))) {
      IpPrefix cidr = block.value().cidr();
      Optional<Revisioned<IpPool>> pool = PoolChoice.containing(pools, cidr.first());
      pool.map(found -> byPool.getOrDefault(found.value().name(), orphans))
          .orElse(orphans)
          .add(blockUse(block.value(), reservations));
    }
    List<PoolUse> uses = new ArrayList<>();
    for (Revisioned<IpPool> pool : pools) {
      String name = pool.value().name();
      if (wanted.isEmpty() || isWanted(wanted, pool.value())) {
        uses.add(
            new PoolUse(name, pool.value().cidr(), sorted(byPool.getOrDefault(name, orphans))));
      }
    }
    if (wanted.isEmpty() && !orphans.isEmpty()) {
      uses.add(new PoolUse(null, null, sorted(orphans)));
    }
    return uses;
  }

  private static boolean isWanted(List<String> wanted, IpPool pool) {
    return wanted.contains(pool.name()) || wanted.contains(pool.cidr().toString());
  }

  private static List<PoolUse.BlockUse> sorted(List<PoolUse.BlockUse> blocks) {
    return blocks.stream().sorted(Comparator.comparing(PoolUse.BlockUse::cidr)).toList();
  }

  private PoolUse.BlockUse blockUse(IpamBlock block, Reservations reservations) {
    BlockEdit edit = blocks.edit(block);
    int free = edit.freeCount();
    return new PoolUse.BlockUse(
        block.cidr(),
        BlockOwner.parse(block.affinity()).orElse(null),
        block.allocations().size(),
        free,
        free - edit.available(reservations),
        (int) AddressLookup.inUse(block).stream().filter(AddressInfo::isBorrowed).count());
  }
}
