package io.ocicat.ipam.assign;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.BlockFinders;
import io.ocicat.ipam.block.BlockQueue;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Claims an additional block for a host. Concurrent requests of one process share the new block.
 * Thread-safe.
 */
public final class NewBlocks {
  private static final int DEFAULT_MAX_BLOCKS = 20;

  private final ClusterView view;
  private final Blocks blocks;
  private final Affinities affinities;
  private final BlockFinders finders;
  private final ClockAndRandom sources;

  public NewBlocks(
      ClusterView view,
      Blocks blocks,
      Affinities affinities,
      BlockFinders finders,
      ClockAndRandom sources) {
    this.view = view;
    this.blocks = blocks;
    this.affinities = affinities;
    this.finders = finders;
    this.sources = sources;
  }

  /**
   * Claims one more block for the host, unless another thread did while this one waited.
   *
   * @param seen the host's generation before its own blocks were found full
   * @return why no block was claimed; null when the host has a new one
   */
  AssignmentResult.@Nullable Shortage claimOne(
      AssignmentProgress progress, ClusterSnapshot snapshot, long seen) {
    HostBlocks host = snapshot.host();
    host.claiming().lock();
    try {
      // A block that another process has begun to claim for this host shows up whenever the blocks
      // are listed, and has no room yet: allocate from it instead of skipping it as one that was
      // already tried.
      if (host.generation() != seen || findsRoom(snapshot) || host.generation() != seen) {
        return null;
      }
      snapshot.requireCurrentNode(view);
      AssignmentResult.Shortage forbidden = forbidden(progress, snapshot);
      if (forbidden != null) {
        return forbidden;
      }
      if (claim(progress.request(), progress.version(), snapshot).isPresent()
          || host.generation() != seen) {
        return null;
      }
      if (snapshot.isStrict()) {
        progress.addMessage(
            "%s has no free block, every other is in use, and strictAffinity is on"
                .formatted(progress.request().host()));
        return AssignmentResult.Shortage.NO_FREE_BLOCK;
      }
      return AssignmentResult.Shortage.POOLS_EXHAUSTED;
    } finally {
      host.claiming().unlock();
    }
  }

  /**
   * Checks again, before a block is claimed, whether others have claimed or released something.
   * There must be room for all who wait here: otherwise a request that is sent back to the existing
   * blocks, and loses the race for the last address, could be sent back forever.
   */
  private boolean findsRoom(ClusterSnapshot snapshot) {
    snapshot.host().refreshUnlessJustDone();
    long now = sources.nanoTime().getAsLong();
    List<IpPrefix> usable = usable(snapshot);
    blocks.recheck(usable, now);
    int wanted = 1 + snapshot.host().claiming().getQueueLength();
    int room = 0;
    for (IpPrefix cidr : usable) {
      if (room < wanted && !blocks.full().isRecent(cidr, now)) {
        room += room(cidr, snapshot.reservations());
      }
    }
    return room >= wanted;
  }

  /** Whether a block has room shows when allocating; that it has none only when reading it. */
  private int room(IpPrefix cidr, Reservations reservations) {
    BlockQueue queue = blocks.queue(cidr);
    return queue
        .cached()
        .map(block -> blocks.room(block, reservations))
        .filter(room -> room > 0)
        .or(() -> queue.read().map(read -> blocks.room(read.value(), reservations)))
        .orElse(0);
  }

  private static List<IpPrefix> usable(ClusterSnapshot snapshot) {
    return snapshot.host().list().stream()
        .map(HostBlocks.Affine::cidr)
        .filter(
            cidr ->
                snapshot.choice().usablePool(cidr).isPresent()
                    && !snapshot.reservations().cover(cidr))
        .toList();
  }

  private static AssignmentResult.@Nullable Shortage forbidden(
      AssignmentProgress progress, ClusterSnapshot snapshot) {
    String host = progress.request().host();
    int limit = limit(progress.request().maxBlocks(), snapshot.config().value().maxBlocksPerHost());
    long owned = owned(snapshot);
    if (owned + 1 >= limit) {
      // A block that another process has just claimed for the host counts as well.
      snapshot.host().refresh();
      owned = owned(snapshot);
    }
    if (owned >= limit) {
      progress.addMessage(
          "%s owns %d blocks in these pools and may own %d: raise maxBlocksPerHost, or release unused ones"
              .formatted(host, owned, limit));
      return AssignmentResult.Shortage.BLOCK_LIMIT;
    }
    if (!snapshot.config().value().autoAllocateBlocks()) {
      progress.addMessage(
          "the blocks of %s are full, and autoAllocateBlocks is off".formatted(host));
      return AssignmentResult.Shortage.NO_NEW_BLOCKS;
    }
    return null;
  }

  private static long owned(ClusterSnapshot snapshot) {
    return snapshot.host().list().stream()
        .filter(affine -> snapshot.choice().usablePool(affine.cidr()).isPresent())
        .count();
  }

  private static int limit(int requested, int configured) {
    int limit = requested == 0 ? configured : requested;
    if (requested > 0 && configured > 0) {
      limit = Math.min(requested, configured);
    }
    return limit == 0 ? DEFAULT_MAX_BLOCKS : limit;
  }

  private Optional<IpPrefix> claim(
      AutoAssignRequest request, IpVersion version, ClusterSnapshot snapshot) {
    Optional<Affinities.Claim.Ours> claimed =
        finders
            .of(version)
            .claim(
                request.owner(),
                snapshot.host().cidrs(),
                snapshot.choice().usable(),
                snapshot.reservations(),
                request.reserved(version));
    claimed.ifPresent(ours -> snapshot.host().update(ours.block().value().cidr(), ours.affinity()));
    return claimed.map(ours -> ours.block().value().cidr());
  }

  /** Returns a block of the host, with room or without; claims one when the host has none. */
  public Optional<IpPrefix> ensure(
      AutoAssignRequest request, IpVersion version, ClusterSnapshot snapshot) {
    HostBlocks host = snapshot.host();
    host.claiming().lock();
    try {
      host.refresh();
      for (IpPrefix cidr : usable(snapshot)) {
        if (affinities.claim(request.owner(), cidr, request.reserved(version))
            instanceof Affinities.Claim.Ours) {
          return Optional.of(cidr);
        }
      }
      return claim(request, version, snapshot);
    } finally {
      host.claiming().unlock();
    }
  }
}
