package io.ocicat.ipam.assign;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClaimedBlocks;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims and releases block affinities on explicit request, as opposed to as part of an assignment.
 */
public final class BlockClaims {
  private static final int ROUNDS = 100;

  private final IpamRecords records;
  private final ClusterView view;
  private final Affinities affinities;
  private final HostBlocks.Register hosts;

  public BlockClaims(
      IpamRecords records, ClusterView view, Affinities affinities, HostBlocks.Register hosts) {
    this.records = records;
    this.view = view;
    this.affinities = affinities;
    this.hosts = hosts;
  }

  private List<IpPrefix> blocksIn(IpPrefix cidr) {
    IpPool pool = view.pools().requireEnabledFor(cidr.first()).value();
    if (cidr.length() > pool.blockSize()) {
      throw new IpamException(
          IpamException.Reason.INVALID_REQUEST,
          "%s is smaller than a block of pool %s, which is a /%d"
              .formatted(cidr, pool.name(), pool.blockSize()));
    }
    if (pool.blockSize() - cidr.length() > 20) {
      throw new IpamException(
          IpamException.Reason.INVALID_REQUEST,
          "%s has more blocks of /%d than can be claimed or released at once"
              .formatted(cidr, pool.blockSize()));
    }
    List<IpPrefix> blocks = new ArrayList<>();
    IpAddress last = cidr.last();
    IpPrefix block = IpPrefix.of(cidr.first(), pool.blockSize());
    while (true) {
      blocks.add(block);
      if (block.last().equals(last)) {
        return blocks;
      }
      block = IpPrefix.of(block.last().next(), pool.blockSize());
    }
  }

  public ClaimedBlocks claim(IpPrefix cidr, BlockOwner owner) {
    List<IpPrefix> claimed = new ArrayList<>();
    List<IpPrefix> failed = new ArrayList<>();
    for (IpPrefix block : blocksIn(cidr.network())) {
      switch (affinities.claim(owner, block, null)) {
        case Affinities.Claim.Ours ours -> {
          hosts.of(owner, IpVersion.of(block)).update(block, ours.affinity());
          claimed.add(block);
        }
        case Affinities.Claim.Taken _ -> failed.add(block);
      }
    }
    return new ClaimedBlocks(claimed, failed);
  }

  public void release(IpPrefix cidr, BlockOwner owner, boolean requireEmpty) {
    releaseAll(blocksIn(cidr.network()), owner, requireEmpty);
  }

  /** Releases every block, and then throws the first refusal. */
  private void releaseAll(List<IpPrefix> blocks, BlockOwner owner, boolean requireEmpty) {
    @Nullable IpamException refused = null;
    for (IpPrefix block : blocks) {
      try {
        affinities.release(owner, block, requireEmpty, null);
        hosts.of(owner, IpVersion.of(block)).remove(block);
      } catch (IpamException e) {
        switch (e.reason()) {
          case CLAIMED_BY_OTHER, NO_SUCH_BLOCK ->
              hosts.of(owner, IpVersion.of(block)).remove(block);
          default -> {
            if (refused == null) {
              refused = e;
            } else {
              refused.addSuppressed(e);
            }
          }
        }
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  public void releaseHost(BlockOwner owner, boolean requireEmpty) {
    List<IpPrefix> blocks = new ArrayList<>();
    for (IpVersion version : IpVersion.values()) {
      ResourceQuery query = new ResourceQuery.Affinities(owner.type(), owner.name(), version);
      records.datastore().list(query).items().forEach(found -> blocks.add(cidrOf(found)));
    }
    releaseAll(blocks, owner, requireEmpty);
  }

  private static IpPrefix cidrOf(Resource affinity) {
    return ((ResourceKey.Affinity) affinity.key()).cidr();
  }

  public void releasePool(IpPrefix pool) {
    for (int i = 0; i < ROUNDS; i++) {
      boolean again = false;
      for (Resource found :
          records.datastore().list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()) {
        ResourceKey.Affinity key = (ResourceKey.Affinity) found.key();
        if (pool.contains(key.cidr().first())) {
          BlockOwner owner = new BlockOwner(key.type(), key.host());
          try {
            affinities.release(owner, key.cidr(), false, null);
          } catch (IpamException e) {
            switch (e.reason()) {
              case CLAIMED_BY_OTHER -> again = true;
              case NO_SUCH_BLOCK -> {}
              default -> throw e;
            }
          }
          hosts.of(owner, IpVersion.of(key.cidr())).remove(key.cidr());
        }
      }
      if (!again) {
        return;
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "blocks of pool %s were claimed again each of %d times: disable the pool first"
            .formatted(pool, ROUNDS));
  }

  public void removeHost(BlockOwner owner) {
    releaseHost(owner, false);
    try {
      records.datastore().delete(new ResourceKey.IpamHost(owner.name()), null);
    } catch (NotFoundException | UnsupportedException _) {
      // Only very old data has it, and only in etcd.
    }
  }

  /**
   * Adds the labels by which affinities are found to those that older versions wrote without them:
   * where affinities have labels, every write sets them. Those that are found stay as they are.
   */
  public int upgrade(String host) {
    if (records.datastore().hasTransactions()) {
      // Only Kubernetes, which has none, labels affinities.
      return 0;
    }
    Set<ResourceKey> labelled =
        records
            .datastore()
            .list(new ResourceQuery.Affinities(AffinityType.HOST, host, null))
            .items()
            .stream()
            .map(Resource::key)
            .collect(Collectors.toSet());
    int upgraded = 0;
    for (Resource found : records.datastore().list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()) {
      ResourceKey.Affinity key = (ResourceKey.Affinity) found.key();
      if (key.host().equals(host) && !labelled.contains(key)) {
        try {
          records.datastore().update(found);
          upgraded++;
        } catch (NotFoundException | ConflictException _) {
          // A concurrent writer has set the labels.
        }
      }
    }
    return upgraded;
  }
}
