package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds a block that a host can claim: the first in its walk order that does not exist; failing
 * that, an empty one that its owner has had for at least a minute.
 */
public final class BlockFinder {
  private static final Duration LEAVE_TO_OWNER = Duration.ofSeconds(60);

  /** After this many existing blocks were probed one by one, all are listed. */
  private static final int PROBES = 4;

  /** An IPv6 pool has more blocks than can be walked; this many are never all in use. */
  public static final int LONGEST_WALK = 1 << 20;

  private final Affinities affinities;
  private final Blocks blocks;
  private final BlockIndex index;
  private final ClockAndRandom sources;

  BlockFinder(Affinities affinities, Blocks blocks, BlockIndex index, ClockAndRandom sources) {
    this.affinities = affinities;
    this.blocks = blocks;
    this.index = index;
    this.sources = sources;
  }

  /**
   * Claims a block.
   *
   * @param known the owner's blocks, which were already checked
   */
  public Optional<Affinities.Claim.Ours> claim(
      BlockOwner owner,
      Set<IpPrefix> known,
      List<Revisioned<IpPool>> pools,
      Reservations reservations,
      @Nullable HostReserved reserved) {
    int probes = index.isListed() ? Integer.MAX_VALUE : PROBES;
    Optional<Affinities.Claim.Ours> found =
        walk(owner, known, pools, reservations, reserved, probes, new ArrayList<>());
    if (found.isPresent()) {
      return found;
    }
    if (!index.isYoung()) {
      index.refresh();
    }
    List<BlockIndex.Entry> empty = new ArrayList<>();
    found = walk(owner, known, pools, reservations, reserved, Integer.MAX_VALUE, empty);
    return found.isPresent() ? found : reclaim(owner, empty, reserved);
  }

  private Optional<Affinities.Claim.Ours> walk(
      BlockOwner owner,
      Set<IpPrefix> known,
      List<Revisioned<IpPool>> pools,
      Reservations reservations,
      @Nullable HostReserved reserved,
      int probes,
      List<BlockIndex.Entry> empty) {
    int left = probes;
    for (Revisioned<IpPool> pool : pools) {
      if (reservations.cover(pool.value().cidr())) {
        continue;
      }
      int steps = 0;
      for (IpPrefix cidr : walk(pool.value(), owner)) {
        if (++steps > LONGEST_WALK || left == 0) {
          break;
        }
        if (known.contains(cidr) || reservations.cover(cidr)) {
          continue;
        }
        BlockIndex.Entry there = index.find(cidr);
        if (there != null && !isOursWithRoom(there, owner)) {
          if (there.isEmpty() && there.free() > 0) {
            empty.add(there);
          }
          continue;
        }
        if (index.isOverlapped(cidr)) {
          continue;
        }
        switch (affinities.claim(owner, cidr, reserved)) {
          case Affinities.Claim.Ours ours -> {
            index.update(ours.block().value());
            if (ours.isNew() || hasRoom(ours, reservations)) {
              return Optional.of(ours);
            }
          }
          case Affinities.Claim.Taken taken -> {
            index.update(taken.block());
            left--;
          }
        }
      }
    }
    return Optional.empty();
  }

  public BlockIndex index() {
    return index;
  }

  public BlockWalk walk(IpPool pool, BlockOwner owner) {
    return new BlockWalk(pool, owner.name(), sources.random());
  }

  private static boolean isOursWithRoom(BlockIndex.Entry there, BlockOwner owner) {
    return owner.toString().equals(there.affinity()) && there.free() > 0;
  }

  private boolean hasRoom(Affinities.Claim.Ours ours, Reservations reservations) {
    return blocks.edit(ours.block().value()).available(reservations) > 0;
  }

  private Optional<Affinities.Claim.Ours> reclaim(
      BlockOwner owner, List<BlockIndex.Entry> empty, @Nullable HostReserved reserved) {
    Instant latest = sources.clock().instant().minus(LEAVE_TO_OWNER);
    for (BlockIndex.Entry entry : empty) {
      Optional<BlockOwner> before = BlockOwner.parse(entry.affinity());
      if (before.isEmpty() || before.get().equals(owner) || !entry.isClaimedBefore(latest)) {
        continue;
      }
      try {
        affinities.release(before.get(), entry.cidr(), true, entry.sequenceNumber());
      } catch (IpamException _) {
        // Its owner uses it after all, or another host was faster.
        continue;
      }
      index.remove(entry.cidr());
      if (affinities.claim(owner, entry.cidr(), reserved) instanceof Affinities.Claim.Ours ours) {
        index.update(ours.block().value());
        return Optional.of(ours);
      }
    }
    return Optional.empty();
  }
}
