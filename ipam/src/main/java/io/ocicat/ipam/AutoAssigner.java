package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.Write;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives any free addresses: first from the blocks that the host has, then from one that it claims,
 * then from others' blocks unless only owners may. Thread-safe.
 *
 * <p>In a process that stays, nothing is read for an address that comes from a block the process
 * knows: pools, node, settings and affinity are kept, and all but the node are conditions of the
 * write. So an address is given only if at that moment the pool it is from, the settings and the
 * affinity were what the choice was made on. What may be old, by as much as {@link
 * WatchedSurroundings} allows, is that another pool would be preferred now, the node's labels and
 * the reservations; Calico's own reads are as old as its write takes.
 */
final class AutoAssigner {
  private static final int LOOKS = 100;
  private static final int DEFAULT_MAX_BLOCKS = 20;

  private final Records records;
  private final Surroundings surroundings;
  private final Blocks blocks;
  private final Affinities affinities;
  private final HostBlocks.Register hosts;
  private final Map<IpVersion, BlockIndex> indexes;
  private final Lookup lookup;
  private final Sources sources;

  AutoAssigner(
      Records records,
      Surroundings surroundings,
      Blocks blocks,
      Affinities affinities,
      HostBlocks.Register hosts,
      Lookup lookup,
      Sources sources) {
    this.records = records;
    this.surroundings = surroundings;
    this.blocks = blocks;
    this.affinities = affinities;
    this.hosts = hosts;
    this.lookup = lookup;
    this.sources = sources;
    this.indexes =
        Map.of(
            IpVersion.V4, new BlockIndex(records, IpVersion.V4, sources.nanoTime()),
            IpVersion.V6, new BlockIndex(records, IpVersion.V6, sources.nanoTime()));
  }

  AutoAssigned assign(AutoAssignRequest request) {
    Gathering v4 = new Gathering(request, IpVersion.V4);
    Gathering v6 = new Gathering(request, IpVersion.V6);
    try {
      return new AutoAssigned(
          request.v4() == 0 ? null : assign(v4), request.v6() == 0 ? null : assign(v6));
    } catch (RuntimeException e) {
      v4.undo(blocks, e);
      v6.undo(blocks, e);
      throw e;
    }
  }

  private Assigned assign(Gathering gathering) {
    for (int i = 0; i < LOOKS; i++) {
      try {
        return look(gathering);
      } catch (StaleViewException _) {
        surroundings.doubt();
        hosts.of(gathering.request().owner(), gathering.version()).doubt();
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "pools, settings or affinities of %s have changed each of %d times: try again"
            .formatted(gathering.request().host(), LOOKS));
  }

  /** What one look at the surroundings came to. */
  private record View(
      PoolChoice choice, Reservations reservations, Known<IpamConfig> config, HostBlocks host) {

    boolean isStrict() {
      return config.value().strictAffinity();
    }
  }

  private View view(AutoAssignRequest request, IpVersion version) {
    Map<String, String> labels =
        request.use() == IpPool.Use.LOAD_BALANCER ? Map.of() : surroundings.labels(request.host());
    PoolChoice choice =
        PoolChoice.of(surroundings.pools(), request, version, labels, request.reserved(version));
    return new View(
        choice,
        surroundings.reservations(),
        surroundings.config(),
        hosts.of(request.owner(), version));
  }

  private Assigned look(Gathering gathering) {
    AutoAssignRequest request = gathering.request();
    View view = view(request, gathering.version());
    releaseDeselected(request, view);
    for (int i = 0; i < LOOKS; i++) {
      Optional<Assigned> reused = reuse(gathering);
      if (reused.isPresent()) {
        return reused.get();
      }
      long seen = view.host().generation();
      takeFromOwn(gathering, view);
      if (gathering.missing() == 0) {
        return gathering.complete();
      }
      Assigned.Shortage shortage = claimOne(gathering, view, seen);
      if (shortage != null) {
        return shortage == Assigned.Shortage.POOLS_EXHAUSTED && !view.isStrict()
            ? borrow(gathering, view)
            : gathering.result(shortage);
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "every block that %s claimed was full at once: try again".formatted(request.host()));
  }

  /**
   * Empty blocks of pools that no longer select the node are given up. Blocks of pools that merely
   * were not asked for, or do not allow the use, stay.
   */
  private void releaseDeselected(AutoAssignRequest request, View view) {
    for (HostBlocks.Affine affine : view.host().list()) {
      if (view.choice().matches(affine.cidr())) {
        continue;
      }
      Optional<Known<IpPool>> pool =
          PoolChoice.containing(view.choice().enabled(), affine.cidr().first());
      if (pool.isEmpty()
          || request.use() == IpPool.Use.LOAD_BALANCER
          || pool.get().value().nodeSelector().matches(surroundings.labels(request.host()))) {
        continue;
      }
      try {
        affinities.release(request.owner(), affine.cidr(), true, null);
        view.host().forget(affine.cidr());
      } catch (IpamException _) {
        // In use, or gone already.
      }
    }
  }

  private void takeFromOwn(Gathering gathering, View view) {
    for (HostBlocks.Affine affine : view.host().list()) {
      Optional<Known<IpPool>> pool = view.choice().usablePool(affine.cidr());
      if (gathering.missing() == 0) {
        return;
      }
      if (pool.isPresent()
          && !view.reservations().cover(affine.cidr())
          && mayHaveRoom(affine.cidr(), view.reservations())) {
        takeFrom(gathering, view, affine, pool.get());
      }
    }
  }

  private boolean mayHaveRoom(IpPrefix cidr, Reservations reservations) {
    return blocks
        .queue(cidr)
        .glance()
        .map(block -> new BlockEdit(block).available(reservations) > 0)
        .orElse(true);
  }

  private void takeFrom(
      Gathering gathering, View view, HostBlocks.Affine affine, Known<IpPool> pool) {
    BlockOwner owner = gathering.request().owner();
    HostBlocks.Affine used = affine;
    try {
      if (!affine.isConfirmed()) {
        used = settle(gathering, view, affine.cidr()).orElse(null);
      }
      if (used != null) {
        List<Write.Expect> conditions =
            List.of(
                pool.asCondition(),
                view.config().asCondition(),
                new Write.Expect(used.affinity().key(), used.affinity().revision()));
        take(gathering, used.cidr(), owner, conditions, view.reservations());
      }
    } catch (IpamException e) {
      switch (e.reason()) {
        // The affinity says it is ours and the block is not: what is right is seen by claiming.
        case STRICT_AFFINITY, NO_SUCH_BLOCK -> settle(gathering, view, affine.cidr());
        default -> throw e;
      }
    }
  }

  /** Makes affinity and block agree; nothing when the block is another's. */
  private Optional<HostBlocks.Affine> settle(Gathering gathering, View view, IpPrefix cidr) {
    AutoAssignRequest request = gathering.request();
    return switch (affinities.claim(request.owner(), cidr, request.reserved(gathering.version()))) {
      case Affinities.Claim.Ours ours -> {
        view.host().learn(cidr, ours.affinity());
        yield Optional.of(new HostBlocks.Affine(cidr, ours.affinity()));
      }
      case Affinities.Claim.Taken _ -> {
        view.host().forget(cidr);
        yield Optional.empty();
      }
    };
  }

  private void take(
      Gathering gathering,
      IpPrefix cidr,
      @Nullable BlockOwner onlyOf,
      List<Write.Expect> conditions,
      Reservations reservations) {
    AutoAssignRequest request = gathering.request();
    try {
      Blocks.Taker taker =
          new Blocks.Taker(
              gathering.attributes(),
              onlyOf,
              request.maxPerHandle(),
              pinned(gathering),
              conditions);
      gathering.add(cidr, blocks.take(cidr, gathering.missing(), taker, reservations));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.HANDLE_LIMIT) {
        throw new StaleViewException("somebody else has taken for the same handle");
      }
      throw e;
    }
  }

  private @Nullable Resource pinned(Gathering gathering) {
    Optional<String> id = limited(gathering.request());
    if (id.isEmpty()) {
      return null;
    }
    Optional<Records.Stored<IpamHandle>> handle = records.handle(id.get());
    handle.ifPresent(
        found ->
            Handles.checkLimit(
                found.value(),
                gathering.version(),
                gathering.missing(),
                gathering.request().maxPerHandle()));
    return Handles.pinned(id.get(), handle);
  }

  private static Optional<String> limited(AutoAssignRequest request) {
    return Optional.ofNullable(request.handle()).filter(_ -> request.maxPerHandle() > 0);
  }

  /** When the handle has as many addresses as it may, those are the answer. */
  private Optional<Assigned> reuse(Gathering gathering) {
    AutoAssignRequest request = gathering.request();
    Optional<Records.Stored<IpamHandle>> handle = limited(request).flatMap(records::handle);
    if (handle.isEmpty()) {
      return Optional.empty();
    }
    IpVersion version = gathering.version();
    int counted = Handles.total(handle.get().value(), version);
    if (counted + gathering.missing() <= request.maxPerHandle()) {
      return Optional.empty();
    }
    List<IpAddress> has =
        lookup.byHandle(handle.get().value()).stream()
            .filter(address -> address.isV4() == (version == IpVersion.V4))
            .toList();
    int wanted = request.count(version);
    if (has.size() >= wanted) {
      return Optional.of(
          new Assigned(
              version,
              has.subList(0, wanted).stream().map(IpPrefix::host).toList(),
              wanted,
              null,
              List.of()));
    }
    if (has.size() == counted) {
      Handles.checkLimit(
          handle.get().value(), version, gathering.missing(), request.maxPerHandle());
    }
    // Somebody has died, or is at work, between counting and taking.
    for (IpPrefix block : handle.get().value().counts().keySet()) {
      records
          .handle(handle.get().value().id())
          .ifPresent(current -> blocks.recount(block, current));
    }
    return Optional.empty();
  }

  /**
   * Gets the host one more block, unless somebody has while this waited.
   *
   * @return why there is none; null when there is
   */
  private Assigned.@Nullable Shortage claimOne(Gathering gathering, View view, long seen) {
    AutoAssignRequest request = gathering.request();
    HostBlocks host = view.host();
    host.claiming().lock();
    try {
      if (host.generation() != seen || findsRoom(view)) {
        return null;
      }
      long owned =
          host.list().stream()
              .filter(affine -> view.choice().usablePool(affine.cidr()).isPresent())
              .count();
      int limit = limit(request.maxBlocks(), view.config().value().maxBlocksPerHost());
      if (owned >= limit) {
        gathering.say(
            "%s owns %d blocks in these pools and may own %d: raise maxBlocksPerHost, or release unused ones"
                .formatted(request.host(), owned, limit));
        return Assigned.Shortage.BLOCK_LIMIT;
      }
      if (!view.config().value().autoAllocateBlocks()) {
        gathering.say(
            "the blocks of %s are full, and autoAllocateBlocks is off".formatted(request.host()));
        return Assigned.Shortage.NO_NEW_BLOCKS;
      }
      Optional<Affinities.Claim.Ours> claimed =
          finder(gathering.version())
              .claim(
                  request.owner(),
                  host.cidrs(),
                  view.choice().usable(),
                  view.reservations(),
                  request.reserved(gathering.version()));
      if (claimed.isPresent()) {
        host.learn(claimed.get().block().value().cidr(), claimed.get().affinity());
        return null;
      }
      if (view.isStrict()) {
        gathering.say(
            "%s has no free block, every other is in use, and strictAffinity is on"
                .formatted(request.host()));
        return Assigned.Shortage.NO_FREE_BLOCK;
      }
      return Assigned.Shortage.POOLS_EXHAUSTED;
    } finally {
      host.claiming().unlock();
    }
  }

  /** A block of the host's own, with room or without; claimed when there is none. */
  Optional<IpPrefix> ensureBlock(AutoAssignRequest request, IpVersion version) {
    View view = view(request, version);
    releaseDeselected(request, view);
    HostBlocks host = view.host();
    host.claiming().lock();
    try {
      host.refresh();
      for (HostBlocks.Affine affine : host.list()) {
        if (view.choice().usablePool(affine.cidr()).isPresent()
            && !view.reservations().cover(affine.cidr())
            && affinities.claim(request.owner(), affine.cidr(), request.reserved(version))
                instanceof Affinities.Claim.Ours) {
          return Optional.of(affine.cidr());
        }
      }
      Optional<Affinities.Claim.Ours> claimed =
          finder(version)
              .claim(
                  request.owner(),
                  host.cidrs(),
                  view.choice().usable(),
                  view.reservations(),
                  request.reserved(version));
      claimed.ifPresent(ours -> host.learn(ours.block().value().cidr(), ours.affinity()));
      return claimed.map(ours -> ours.block().value().cidr());
    } finally {
      host.claiming().unlock();
    }
  }

  private BlockFinder finder(IpVersion version) {
    return new BlockFinder(affinities, index(version), sources);
  }

  private BlockIndex index(IpVersion version) {
    return Objects.requireNonNull(indexes.get(version));
  }

  /** Before a block is claimed: looks again whether others have claimed or freed something. */
  private boolean findsRoom(View view) {
    HostBlocks host = view.host();
    host.refresh();
    boolean found = false;
    for (HostBlocks.Affine affine : host.list()) {
      if (view.choice().usablePool(affine.cidr()).isPresent()
          && !view.reservations().cover(affine.cidr())
          && blocks.queue(affine.cidr()).isOld(sources.nanoTime().getAsLong())) {
        blocks.queue(affine.cidr()).read();
        found |= mayHaveRoom(affine.cidr(), view.reservations());
      }
    }
    return found;
  }

  private static int limit(int requested, int configured) {
    int limit = requested == 0 ? configured : requested;
    if (requested > 0 && configured > 0) {
      limit = Math.min(requested, configured);
    }
    return limit == 0 ? DEFAULT_MAX_BLOCKS : limit;
  }

  /** From whatever block of the pools has something left. */
  private Assigned borrow(Gathering gathering, View view) {
    BlockIndex index = index(gathering.version());
    for (int round = 0; round < 2; round++) {
      for (Known<IpPool> pool : view.choice().usable()) {
        int steps = 0;
        for (IpPrefix cidr :
            finder(gathering.version()).walk(pool.value(), gathering.request().owner())) {
          if (gathering.missing() == 0) {
            return gathering.complete();
          }
          BlockIndex.Entry entry = index.find(cidr);
          if (++steps > BlockFinder.LONGEST_WALK
              || view.reservations().cover(pool.value().cidr())) {
            break;
          }
          if (entry != null && entry.free() > 0 && !view.reservations().cover(cidr)) {
            borrowFrom(gathering, view, pool, cidr, index);
          }
        }
      }
      if (gathering.missing() == 0) {
        return gathering.complete();
      }
      // Only all blocks, just listed, can say that there is nothing left.
      index.refresh();
    }
    gathering.say(
        "pools %s have no free address left"
            .formatted(
                String.join(
                    ", ",
                    view.choice().usable().stream()
                        .map(pool -> pool.value().name() + " (" + pool.value().cidr() + ")")
                        .toList())));
    return gathering.result(Assigned.Shortage.POOLS_EXHAUSTED);
  }

  private void borrowFrom(
      Gathering gathering, View view, Known<IpPool> pool, IpPrefix cidr, BlockIndex index) {
    try {
      take(
          gathering,
          cidr,
          null,
          List.of(pool.asCondition(), view.config().asCondition()),
          view.reservations());
      blocks.queue(cidr).glance().ifPresent(index::learn);
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      index.forget(cidr);
    }
  }
}
