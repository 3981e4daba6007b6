package io.ocicat.ipam.assign;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockReleaser;
import io.ocicat.ipam.block.BlockWriter;
import io.ocicat.ipam.block.CountedHandle;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.cluster.WatchedClusterView;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Assigns any free addresses: first from the host's own blocks, then from a newly claimed block,
 * then from other hosts' blocks unless strict affinity forbids it. Thread-safe.
 *
 * <p>In a resident process, an address from a cached block costs no read: pools, node, settings and
 * affinity are cached, and all of them are conditions of the write. So an address is assigned only
 * if, at the time of the write, its pool, the node, the settings and the affinity are those that
 * the choice was based on. Two things may be outdated, by as much as {@link WatchedClusterView}
 * allows: another pool may be preferred by now, and the reservations. Calico's own reads are
 * outdated by as long as its write takes.
 */
public final class AutoAssigner {
  private static final int ATTEMPTS = 100;

  private final ClusterView view;
  private final HostBlocks.Register hosts;
  private final BlockWriter writer;
  private final BlockReleaser blockReleaser;
  private final HandleQuota quota;
  private final AffineBlocks own;
  private final NewBlocks fresh;
  private final Borrowing others;

  public AutoAssigner(
      ClusterView view,
      HostBlocks.Register hosts,
      BlockWriter writer,
      BlockReleaser blockReleaser,
      HandleQuota quota,
      AffineBlocks own,
      NewBlocks fresh,
      Borrowing others) {
    this.view = view;
    this.hosts = hosts;
    this.writer = writer;
    this.blockReleaser = blockReleaser;
    this.quota = quota;
    this.own = own;
    this.fresh = fresh;
    this.others = others;
  }

  /** Starts the reads of a later request; empty when everything may come from a cache. */
  public Optional<AssignPrefetch> prefetch(BlockOwner owner, List<IpVersion> versions) {
    return writer.detectsStaleness()
        ? Optional.empty()
        : Optional.of(AssignPrefetch.start(view, hosts, owner, owner.name(), versions));
  }

  public AutoAssignResult assign(AutoAssignRequest request, Optional<AssignPrefetch> early) {
    CountedHandle counted = writer.counted(request.handle());
    AssignmentProgress v4 = new AssignmentProgress(request, IpVersion.V4, counted);
    AssignmentProgress v6 = new AssignmentProgress(request, IpVersion.V6, counted);
    Optional<AssignPrefetch> prefetch = prefetch(request, early);
    try {
      List<AssignmentResult> both =
          prefetch.isPresent()
              ? Prefetch.all(
                  wanted(request).stream()
                      .<Supplier<AssignmentResult>>map(
                          version -> () -> assign(version == IpVersion.V4 ? v4 : v6, prefetch))
                      .toList())
              : wanted(request).stream()
                  .map(version -> assign(version == IpVersion.V4 ? v4 : v6, prefetch))
                  .toList();
      return new AutoAssignResult(of(both, IpVersion.V4), of(both, IpVersion.V6));
    } catch (RuntimeException e) {
      v4.undo(blockReleaser, e);
      v6.undo(blockReleaser, e);
      throw e;
    }
  }

  private static List<IpVersion> wanted(AutoAssignRequest request) {
    return Stream.of(IpVersion.V4, IpVersion.V6)
        .filter(version -> request.count(version) > 0)
        .toList();
  }

  private static @Nullable AssignmentResult of(List<AssignmentResult> all, IpVersion version) {
    return all.stream().filter(one -> one.version() == version).findFirst().orElse(null);
  }

  private Optional<AssignPrefetch> prefetch(
      AutoAssignRequest request, Optional<AssignPrefetch> early) {
    if (writer.detectsStaleness()) {
      return Optional.empty();
    }
    if (early.filter(it -> it.isFor(request.owner(), hosts)).isPresent()) {
      return early;
    }
    return Optional.of(
        AssignPrefetch.start(
            view,
            hosts,
            request.owner(),
            request.use() == IpPool.Use.LOAD_BALANCER ? null : request.host(),
            wanted(request)));
  }

  private AssignmentResult assign(AssignmentProgress progress, Optional<AssignPrefetch> prefetch) {
    ClusterView current = prefetch.map(AssignPrefetch::view).orElse(view);
    AssignPrefetch.Listed listed = prefetch.map(it -> it.listed(progress.version())).orElse(null);
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        return tryAssign(progress, current, listed);
      } catch (StaleViewException _) {
        current.invalidate();
        hosts.of(progress.request().owner(), progress.version()).invalidate();
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "pools, settings or affinities of %s have changed each of %d times: try again"
            .formatted(progress.request().host(), ATTEMPTS));
  }

  private AssignmentResult tryAssign(
      AssignmentProgress progress, ClusterView current, AssignPrefetch.@Nullable Listed listed) {
    AutoAssignRequest request = progress.request();
    ClusterSnapshot snapshot =
        ClusterSnapshot.of(current, hosts, request, progress.version(), listed);
    own.releaseDeselected(request, snapshot);
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<AssignmentResult> reused = quota.reuse(progress);
      if (reused.isPresent()) {
        return reused.get();
      }
      long seen = snapshot.host().generation();
      own.allocateFrom(progress, snapshot);
      if (progress.missing() == 0) {
        return progress.complete();
      }
      AssignmentResult.Shortage shortage = fresh.claimOne(progress, snapshot, seen);
      if (shortage != null) {
        return shortage == AssignmentResult.Shortage.POOLS_EXHAUSTED && !snapshot.isStrict()
            ? others.borrow(progress, snapshot)
            : progress.result(shortage);
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "every block that %s claimed was full at once: try again".formatted(request.host()));
  }

  /** Returns a block of the host, with room or without; claims one when the host has none. */
  public Optional<IpPrefix> ensureBlock(AutoAssignRequest request, IpVersion version) {
    view.invalidate();
    ClusterSnapshot snapshot = ClusterSnapshot.of(view, hosts, request, version, null);
    own.releaseDeselected(request, snapshot);
    return fresh.ensure(request, version, snapshot);
  }
}
