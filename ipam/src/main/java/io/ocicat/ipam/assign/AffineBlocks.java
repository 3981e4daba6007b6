package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.PoolChoice;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Allocates addresses from the blocks that a host already owns, in address order. Thread-safe. */
public final class AffineBlocks {
  private final Blocks blocks;
  private final BlockAllocator allocator;
  private final Affinities affinities;

  public AffineBlocks(Blocks blocks, BlockAllocator allocator, Affinities affinities) {
    this.blocks = blocks;
    this.allocator = allocator;
    this.affinities = affinities;
  }

  /**
   * Releases empty blocks of pools that no longer select the node. Blocks of pools that merely were
   * not requested, or do not allow the use, stay.
   */
  void releaseDeselected(AutoAssignRequest request, ClusterSnapshot snapshot) {
    if (snapshot.host().areAllWithin(snapshot.choice().matching(), snapshot.since())) {
      return;
    }
    for (HostBlocks.Affine affine : snapshot.host().list(snapshot.since())) {
      if (!snapshot.choice().matches(affine.cidr())
          && isDeselected(request, snapshot, affine.cidr())) {
        try {
          affinities.release(request.owner(), affine.cidr(), true, null);
          snapshot.host().remove(affine.cidr());
        } catch (IpamException _) {
          // In use, or already gone.
        }
      }
    }
  }

  private static boolean isDeselected(
      AutoAssignRequest request, ClusterSnapshot snapshot, IpPrefix cidr) {
    Optional<Revisioned<IpPool>> pool =
        PoolChoice.containing(snapshot.choice().enabled(), cidr.first());
    return pool.isPresent()
        && request.use() != IpPool.Use.LOAD_BALANCER
        && !pool.get().value().nodeSelector().matches(snapshot.labels());
  }

  /** Allocates the missing addresses, as far as the blocks have room. */
  public void allocateFrom(AssignmentProgress progress, ClusterSnapshot snapshot) {
    for (HostBlocks.Affine affine : snapshot.host().withRoom(blocks.full(), snapshot.since())) {
      if (progress.missing() == 0) {
        return;
      }
      if (hasRoom(affine.cidr(), snapshot.reservations())) {
        Optional<Revisioned<IpPool>> pool = snapshot.choice().usablePool(affine.cidr());
        if (pool.isPresent() && !snapshot.reservations().cover(affine.cidr())) {
          allocateFrom(progress, snapshot, affine, pool.get());
        }
      }
    }
  }

  /** Returns whether a block has room according to the cache; true when it is not cached. */
  private boolean hasRoom(IpPrefix cidr, Reservations reservations) {
    return !blocks.full().contains(cidr)
        && blocks
            .queue(cidr)
            .cached()
            .map(block -> blocks.room(block, reservations) > 0)
            .orElse(true);
  }

  private void allocateFrom(
      AssignmentProgress progress,
      ClusterSnapshot snapshot,
      HostBlocks.Affine affine,
      Revisioned<IpPool> pool) {
    HostBlocks.Affine used = affine;
    try {
      if (!affine.isConfirmed()) {
        used = reconcile(progress, snapshot, affine.cidr()).orElse(null);
      }
      if (used != null) {
        List<Write.Expect> conditions = new ArrayList<>(snapshot.conditions(pool));
        conditions.add(new Write.Expect(used.affinity().key(), used.affinity().revision()));
        allocator.allocate(progress, snapshot, used.cidr(), progress.request().owner(), conditions);
      }
    } catch (IpamException e) {
      switch (e.reason()) {
        // The affinity says the block is ours, and the block says otherwise: claiming it decides.
        case STRICT_AFFINITY, NO_SUCH_BLOCK -> reconcile(progress, snapshot, affine.cidr());
        default -> throw e;
      }
    }
  }

  /** Makes affinity and block agree; empty when the block belongs to another owner. */
  private Optional<HostBlocks.Affine> reconcile(
      AssignmentProgress progress, ClusterSnapshot snapshot, IpPrefix cidr) {
    snapshot.host().reconciling().lock();
    try {
      return reconcileLocked(progress, snapshot, cidr);
    } finally {
      snapshot.host().reconciling().unlock();
    }
  }

  private Optional<HostBlocks.Affine> reconcileLocked(
      AssignmentProgress progress, ClusterSnapshot snapshot, IpPrefix cidr) {
    AutoAssignRequest request = progress.request();
    return switch (affinities.claim(request.owner(), cidr, request.reserved(progress.version()))) {
      case Affinities.Claim.Ours ours -> {
        snapshot.host().update(cidr, ours.affinity());
        yield Optional.of(HostBlocks.Affine.of(cidr, ours.affinity()));
      }
      case Affinities.Claim.Taken _ -> {
        snapshot.host().remove(cidr);
        yield Optional.empty();
      }
    };
  }
}
