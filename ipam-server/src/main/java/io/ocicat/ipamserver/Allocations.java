package io.ocicat.ipamserver;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.Route;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipamserver.PoolAddresses.Found;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Allocates and releases addresses, one operation at a time. Each first processes what is due
 * (expired leases, addresses whose hold is over), then decides, then writes the database, and only
 * then updates the index of free addresses in memory. When the database fails, the index is rebuilt
 * before it is used again. Thread-safe.
 */
final class Allocations implements AutoCloseable {
  private final Pools pools;
  private final AllocationStore store;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Map<String, PoolAddresses> index;

  Allocations(Pools pools, AllocationStore store, InstantSource clock) {
    this.pools = pools;
    this.store = store;
    this.clock = clock;
  }

  /**
   * @param created whether it is new, as opposed to the result of the same request before
   */
  record Allocated(Allocation allocation, boolean created) {}

  /** The utilisation of a pool. */
  record Level(String pool, AddressFamily family, PoolAddresses.Level level) {}

  Allocated allocate(AllocationRequest request) {
    return exclusively(
        now -> {
          Optional<Allocation> before = store.find(request.key());
          if (before.isPresent()) {
            return new Allocated(sameRequest(before.get(), request), false);
          }
          Pool pool = pools.of(request);
          PoolAddresses addresses = addresses(pool.name());
          List<Found> found = new ArrayList<>();
          for (AddressFamily family : families(request, pool)) {
            found.add(choose(request, family, pool, addresses));
          }
          Allocation wanted =
              new Allocation(
                  0,
                  request.key(),
                  request.node(),
                  pool.name(),
                  request.canonical(),
                  answer(pool, found),
                  request.leaseSeconds(),
                  now,
                  expiry(now, request.leaseSeconds()));
          List<IpAddress> chosen = found.stream().map(each -> each.address().address()).toList();
          Allocation added = store.add(wanted, chosen);
          chosen.forEach(addresses::use);
          return new Allocated(added, true);
        });
  }

  private static Allocation sameRequest(Allocation before, AllocationRequest request) {
    if (!before.request().equals(request.canonical())) {
      throw ApiError.idempotencyMismatch(
          "%s has allocation %s, made by a different request: release it first"
              .formatted(request.key(), before.idText()));
    }
    return before;
  }

  private static List<AddressFamily> families(AllocationRequest request, Pool pool) {
    for (AddressFamily family : request.families()) {
      if (!pool.families().contains(family)) {
        throw ApiError.badRequest(
            "pool %s has no %s addresses".formatted(Quoted.brief(pool.name()), family.text()));
      }
    }
    return request.families().isEmpty()
        ? pool.families()
        : request.families().stream().sorted().toList();
  }

  /** Returns the requested address, even when it is held back, or else any. */
  private static Found choose(
      AllocationRequest request, AddressFamily family, Pool pool, PoolAddresses addresses) {
    Optional<IpAddress> wanted =
        request.requestedIps().stream().filter(ip -> AddressFamily.of(ip) == family).findFirst();
    if (wanted.isPresent()) {
      Found found =
          addresses
              .find(wanted.get())
              .orElseThrow(
                  () ->
                      ApiError.badRequest(
                          "%s is not an address that pool %s allocates"
                              .formatted(wanted.get(), Quoted.brief(pool.name()))));
      if (!addresses.isFree(wanted.get()) && !addresses.isResting(wanted.get())) {
        throw ApiError.addressInUse(
            "%s of pool %s is in use".formatted(wanted.get(), Quoted.brief(pool.name())));
      }
      return found;
    }
    return addresses
        .next(family)
        .orElseThrow(() -> exhausted(family, pool, addresses.level(family)));
  }

  private static ApiError exhausted(AddressFamily family, Pool pool, PoolAddresses.Level level) {
    return ApiError.exhausted(
        "no free %s address in pool %s: %d of %s in use, %d resting after release"
            .formatted(
                family.text(),
                Quoted.brief(pool.name()),
                level.used(),
                level.capacity(),
                level.resting()),
        level.resting() > 0);
  }

  private static String answer(Pool pool, List<Found> found) {
    ObjectNode answer = Json.object();
    ArrayNode addresses = answer.putArray("addresses");
    for (Found each : found) {
      ObjectNode address = addresses.addObject().put("address", each.address().toString());
      if (each.gateway() != null) {
        address.put("gateway", each.gateway().toString());
      }
    }
    ArrayNode routes = answer.putArray("routes");
    for (Route route : pool.routes()) {
      if (found.stream().anyMatch(each -> each.address().isV4() == route.dst().isV4())) {
        routes.add(route.toJson());
      }
    }
    answer.set("dns", pool.dns().toJson());
    return Json.compact(answer);
  }

  private static @Nullable Instant expiry(Instant now, long leaseSeconds) {
    return leaseSeconds == 0 ? null : now.plusSeconds(leaseSeconds);
  }

  /** Releases the attachment's allocation, if it has one; with an id only that very allocation. */
  void release(AllocationKey key, OptionalLong id) {
    exclusively(
        now -> {
          Optional<Allocation> found = store.find(key);
          if (found.isPresent() && id.isPresent() && found.get().id() != id.getAsLong()) {
            throw ApiError.stale(
                "%s has allocation %s now, not %s"
                    .formatted(key, found.get().idText(), Allocation.idText(id.getAsLong())));
          }
          release(found.stream().toList(), now);
          return found;
        });
  }

  Allocation get(AllocationKey key) {
    return exclusively(_ -> store.find(key))
        .orElseThrow(() -> ApiError.notFound("%s has no allocation".formatted(key)));
  }

  List<Allocation> list(AllocationStore.Filter filter, long after, int limit) {
    return exclusively(_ -> store.list(filter, after, limit));
  }

  Allocation renew(long id, long leaseSeconds) {
    return exclusively(
        now -> {
          Allocation found =
              store
                  .find(id)
                  .orElseThrow(
                      () ->
                          store.existed(id)
                              ? ApiError.expired(
                                  "allocation %s has expired or was released"
                                      .formatted(Allocation.idText(id)))
                              : ApiError.notFound(
                                  "there is no allocation " + Allocation.idText(id)));
          Allocation renewed = found.renewed(leaseSeconds, expiry(now, leaseSeconds));
          store.renew(renewed);
          return renewed;
        });
  }

  /** Releases a node's allocations in a network for attachments that are no longer in use. */
  int collect(String network, String node, Set<AllocationKey> valid) {
    return exclusively(
        now -> {
          List<Allocation> stale = new ArrayList<>();
          long after = 0;
          List<Allocation> page;
          do {
            page = store.list(new AllocationStore.Filter(network, node, null), after, 1000);
            for (Allocation allocation : page) {
              after = allocation.id();
              if (!valid.contains(allocation.key())) {
                stale.add(allocation);
              }
            }
          } while (!page.isEmpty());
          release(stale, now);
          return stale.size();
        });
  }

  List<Level> levels() {
    return exclusively(
        _ ->
            pools.all().stream()
                .flatMap(
                    pool ->
                        pool.families().stream()
                            .map(
                                family ->
                                    new Level(
                                        pool.name(), family, addresses(pool.name()).level(family))))
                .toList());
  }

  private void release(List<Allocation> allocations, Instant now) {
    if (allocations.isEmpty()) {
      return;
    }
    List<IpAddress> given =
        allocations.stream().flatMap(each -> store.addressesOf(each).stream()).toList();
    store.release(allocations, now.plus(pools.rest()));
    given.forEach(each -> holder(each, index()).ifPresent(pool -> pool.giveBack(each)));
  }

  private void processDue(Instant now) {
    release(store.expired(now), now);
    List<IpAddress> rested = store.rested(now);
    if (!rested.isEmpty()) {
      store.free(rested);
      rested.forEach(each -> holder(each, index()).ifPresent(pool -> pool.release(each)));
    }
  }

  private Map<String, PoolAddresses> rebuild() {
    Map<String, PoolAddresses> index = new HashMap<>();
    for (Pool pool : pools.all()) {
      index.put(pool.name(), new PoolAddresses(pool.ranges()));
    }
    for (AllocationStore.Taken taken : store.taken()) {
      holder(taken.address(), index)
          .ifPresent(
              pool -> {
                if (taken.resting()) {
                  pool.rest(taken.address());
                } else {
                  pool.use(taken.address());
                }
              });
    }
    return index;
  }

  /**
   * Returns the pool that now contains the address, whatever pool it was allocated from: a range
   * that moved to another pool keeps its allocations. Empty for an address that is no longer in any
   * range.
   */
  private static Optional<PoolAddresses> holder(
      IpAddress address, Map<String, PoolAddresses> index) {
    return index.values().stream().filter(each -> each.find(address).isPresent()).findFirst();
  }

  private PoolAddresses addresses(String pool) {
    return Objects.requireNonNull(index().get(pool), "every configured pool is indexed");
  }

  private Map<String, PoolAddresses> index() {
    return Objects.requireNonNull(index, "the index is built before it is used");
  }

  /** An operation at the current time. */
  @FunctionalInterface
  private interface Action<T> {
    T at(Instant now);
  }

  private <T> T exclusively(Action<T> action) {
    lock.lock();
    try {
      Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
      if (index == null) {
        index = rebuild();
      }
      processDue(now);
      return action.at(now);
    } catch (StoreException e) {
      index = null;
      throw e;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
