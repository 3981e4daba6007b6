package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockFinder;
import io.ocicat.ipam.block.BlockFinders;
import io.ocicat.ipam.block.BlockIndex;
import io.ocicat.ipam.block.BlockWalk;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.IpamException;

/** Allocates addresses from any block of the pools that has a free address. Thread-safe. */
public final class Borrowing {
  private final Blocks blocks;
  private final BlockAllocator allocator;
  private final BlockFinders finders;

  public Borrowing(Blocks blocks, BlockAllocator allocator, BlockFinders finders) {
    this.blocks = blocks;
    this.allocator = allocator;
    this.finders = finders;
  }

  public AssignmentResult borrow(AssignmentProgress progress, ClusterSnapshot snapshot) {
    BlockIndex index = finders.of(progress.version()).index();
    for (int round = 0; round < 2; round++) {
      for (Revisioned<IpPool> pool : snapshot.choice().usable()) {
        if (!snapshot.reservations().cover(pool.value().cidr())) {
          borrowOf(progress, snapshot, pool, index);
        }
      }
      if (progress.missing() == 0) {
        return progress.complete();
      }
      // Only a fresh list of all blocks can show that none has a free address.
      index.refresh();
    }
    progress.addMessage("pools %s have no free address left".formatted(describe(snapshot)));
    return progress.result(AssignmentResult.Shortage.POOLS_EXHAUSTED);
  }

  private static String describe(ClusterSnapshot snapshot) {
    return String.join(
        ", ",
        snapshot.choice().usable().stream()
            .map(pool -> pool.value().name() + " (" + pool.value().cidr() + ")")
            .toList());
  }

  private void borrowOf(
      AssignmentProgress progress,
      ClusterSnapshot snapshot,
      Revisioned<IpPool> pool,
      BlockIndex index) {
    int steps = 0;
    BlockWalk walk = finders.of(progress.version()).walk(pool.value(), progress.request().owner());
    for (IpPrefix cidr : walk) {
      if (progress.missing() == 0 || ++steps > BlockFinder.LONGEST_WALK) {
        return;
      }
      BlockIndex.Entry entry = index.find(cidr);
      if (entry != null && entry.free() > 0 && !snapshot.reservations().cover(cidr)) {
        borrowFrom(progress, snapshot, pool, cidr, index);
      }
    }
  }

  private void borrowFrom(
      AssignmentProgress progress,
      ClusterSnapshot snapshot,
      Revisioned<IpPool> pool,
      IpPrefix cidr,
      BlockIndex index) {
    try {
      allocator.allocate(progress, snapshot, cidr, null, snapshot.conditions(pool));
      blocks.queue(cidr).cached().ifPresent(index::update);
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      index.remove(cidr);
    }
  }
}
