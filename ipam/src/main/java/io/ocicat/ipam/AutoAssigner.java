package io.ocicat.ipam;

import io.ocicat.datastore.Ahead;
import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
  private final Handles handles;
  private final OwnBlocks own;
  private final NewBlocks fresh;
  private final Borrowing others;

  AutoAssigner(
      Surroundings surroundings,
      HostBlocks.Register hosts,
      Releasing releasing,
      HandleQuota quota,
      Handles handles,
      OwnBlocks own,
      NewBlocks fresh,
      Borrowing others) {
    this.surroundings = surroundings;
    this.hosts = hosts;
    this.releasing = releasing;
    this.quota = quota;
    this.handles = handles;
    this.own = own;
    this.fresh = fresh;
    this.others = others;
  }

  /** Asks ahead of a request; empty where nothing has to be read. */
  Optional<AssignQuestions> ask(BlockOwner owner, List<IpVersion> versions) {
    return hosts.mayBeOld()
        ? Optional.empty()
        : Optional.of(AssignQuestions.ask(surroundings, hosts, owner, owner.name(), versions));
  }

  AutoAssigned assign(AutoAssignRequest request, Optional<AssignQuestions> early) {
    CountedHandle counted =
        request.handle() == null ? null : new CountedHandle(handles, request.handle());
    Gathering v4 = new Gathering(request, IpVersion.V4, counted);
    Gathering v6 = new Gathering(request, IpVersion.V6, counted);
    Optional<AssignQuestions> asked = asked(request, early);
    try {
      List<Assigned> both =
          asked.isPresent()
              ? Ahead.all(
                  wanted(request).stream()
                      .<Supplier<Assigned>>map(
                          version -> () -> assign(version == IpVersion.V4 ? v4 : v6, asked))
                      .toList())
              : wanted(request).stream()
                  .map(version -> assign(version == IpVersion.V4 ? v4 : v6, asked))
                  .toList();
      return new AutoAssigned(of(both, IpVersion.V4), of(both, IpVersion.V6));
    } catch (RuntimeException e) {
      v4.undo(releasing, e);
      v6.undo(releasing, e);
      throw e;
    }
  }

  private static List<IpVersion> wanted(AutoAssignRequest request) {
    return Stream.of(IpVersion.V4, IpVersion.V6)
        .filter(version -> request.count(version) > 0)
        .toList();
  }

  private static @Nullable Assigned of(List<Assigned> all, IpVersion version) {
    return all.stream().filter(one -> one.version() == version).findFirst().orElse(null);
  }

  private Optional<AssignQuestions> asked(
      AutoAssignRequest request, Optional<AssignQuestions> early) {
    if (hosts.mayBeOld()) {
      return Optional.empty();
    }
    if (early.filter(it -> it.areFor(request.owner(), hosts)).isPresent()) {
      return early;
    }
    return Optional.of(
        AssignQuestions.ask(
            surroundings,
            hosts,
            request.owner(),
            request.use() == IpPool.Use.LOAD_BALANCER ? null : request.host(),
            wanted(request)));
  }

  private Assigned assign(Gathering gathering, Optional<AssignQuestions> asked) {
    Surroundings around = asked.map(AssignQuestions::surroundings).orElse(surroundings);
    AssignQuestions.Listed listed = asked.map(it -> it.listed(gathering.version())).orElse(null);
    for (int i = 0; i < LOOKS; i++) {
      try {
        return look(gathering, around, listed);
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

  private Assigned look(
      Gathering gathering, Surroundings around, AssignQuestions.@Nullable Listed listed) {
    AutoAssignRequest request = gathering.request();
    View view = View.of(around, hosts, request, gathering.version(), listed);
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
    View view = View.of(surroundings, hosts, request, version, null);
    own.releaseDeselected(request, view);
    return fresh.ensure(request, version, view);
  }
}
