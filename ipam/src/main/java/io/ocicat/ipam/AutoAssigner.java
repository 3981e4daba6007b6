package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;

/**
 * Gives any free addresses: first from the blocks that the host has, then from one that it claims,
 * then from others' blocks unless only owners may. Thread-safe.
 *
 * <p>In a process that stays, nothing is read for an address that comes from a block the process
 * knows: pools, node, settings and affinity are kept, and all of them are conditions of the write.
 * So an address is given only if at that moment the pool it is from, the node, the settings and the
 * affinity were what the choice was made on. What may be old, by as much as {@link
 * WatchedSurroundings} allows, is that another pool would be preferred now, and the reservations;
 * Calico's own reads are as old as its write takes.
 */
final class AutoAssigner {
  private static final int LOOKS = 100;

  private final Surroundings surroundings;
  private final HostBlocks.Register hosts;
  private final Releasing releasing;
  private final HandleQuota quota;
  private final OwnBlocks own;
  private final NewBlocks fresh;
  private final Borrowing others;

  AutoAssigner(
      Surroundings surroundings,
      HostBlocks.Register hosts,
      Releasing releasing,
      HandleQuota quota,
      OwnBlocks own,
      NewBlocks fresh,
      Borrowing others) {
    this.surroundings = surroundings;
    this.hosts = hosts;
    this.releasing = releasing;
    this.quota = quota;
    this.own = own;
    this.fresh = fresh;
    this.others = others;
  }

  AutoAssigned assign(AutoAssignRequest request) {
    Gathering v4 = new Gathering(request, IpVersion.V4);
    Gathering v6 = new Gathering(request, IpVersion.V6);
    Surroundings around = around(request);
    try {
      return new AutoAssigned(
          request.v4() == 0 ? null : assign(v4, around),
          request.v6() == 0 ? null : assign(v6, around));
    } catch (RuntimeException e) {
      v4.undo(releasing, e);
      v6.undo(releasing, e);
      throw e;
    }
  }

  private Surroundings around(AutoAssignRequest request) {
    return hosts.mayBeOld()
        ? surroundings
        : new ConcurrentSurroundings(
            surroundings, request.use() == IpPool.Use.LOAD_BALANCER ? null : request.host());
  }

  private Assigned assign(Gathering gathering, Surroundings around) {
    for (int i = 0; i < LOOKS; i++) {
      try {
        return look(gathering, around);
      } catch (StaleViewException _) {
        around.doubt();
        hosts.of(gathering.request().owner(), gathering.version()).doubt();
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "pools, settings or affinities of %s have changed each of %d times: try again"
            .formatted(gathering.request().host(), LOOKS));
  }

  private Assigned look(Gathering gathering, Surroundings around) {
    AutoAssignRequest request = gathering.request();
    View view = View.of(around, hosts, request, gathering.version());
    own.releaseDeselected(request, view);
    for (int i = 0; i < LOOKS; i++) {
      Optional<Assigned> reused = quota.reuse(gathering);
      if (reused.isPresent()) {
        return reused.get();
      }
      long seen = view.host().generation();
      own.takeFrom(gathering, view);
      if (gathering.missing() == 0) {
        return gathering.complete();
      }
      Assigned.Shortage shortage = fresh.claimOne(gathering, view, seen);
      if (shortage != null) {
        return shortage == Assigned.Shortage.POOLS_EXHAUSTED && !view.isStrict()
            ? others.borrow(gathering, view)
            : gathering.result(shortage);
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "every block that %s claimed was full at once: try again".formatted(request.host()));
  }

  /** A block of the host's own, with room or without; claimed when there is none. */
  Optional<IpPrefix> ensureBlock(AutoAssignRequest request, IpVersion version) {
    surroundings.doubt();
    View view = View.of(surroundings, hosts, request, version);
    own.releaseDeselected(request, view);
    return fresh.ensure(request, version, view);
  }
}
