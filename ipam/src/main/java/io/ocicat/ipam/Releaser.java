package io.ocicat.ipam;

import io.ocicat.datastore.AffinityType;
import io.ocicat.datastore.Ahead;
import io.ocicat.datastore.DatastoreException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Takes addresses back. Thread-safe. */
final class Releaser {
  private static final int ROUNDS = 100;

  /** So many handles one write has room for. */
  private static final int AT_ONCE = 100;

  private final Records records;
  private final Surroundings surroundings;
  private final Blocks blocks;
  private final Releasing releasing;
  private final HandleCounts counts;
  private final Affinities affinities;
  private final HostBlocks.Register hosts;
  private final Lookup lookup;

  Releaser(
      Records records,
      Surroundings surroundings,
      Blocks blocks,
      Releasing releasing,
      HandleCounts counts,
      Affinities affinities,
      HostBlocks.Register hosts,
      Lookup lookup) {
    this.records = records;
    this.surroundings = surroundings;
    this.blocks = blocks;
    this.releasing = releasing;
    this.counts = counts;
    this.affinities = affinities;
    this.hosts = hosts;
    this.lookup = lookup;
  }

  Released release(List<Release> releases) {
    List<IpAddress> released = new ArrayList<>();
    List<IpAddress> notAssigned = new ArrayList<>();
    List<RuntimeException> refused = new ArrayList<>();
    Map<IpPrefix, Map<IpAddress, Release>> byBlock = new LinkedHashMap<>();
    List<IpAddress> addresses = releases.stream().map(Release::address).distinct().toList();
    Map<IpAddress, Optional<IpPrefix>> found = lookup.blocksOf(surroundings.pools(), addresses);
    for (Release release : releases) {
      Optional<IpPrefix> block = found.getOrDefault(release.address(), Optional.empty());
      if (block.isEmpty()) {
        notAssigned.add(release.address());
      } else {
        byBlock
            .computeIfAbsent(block.get(), _ -> new LinkedHashMap<>())
            .putIfAbsent(release.address(), release);
      }
    }
    byBlock.forEach(
        (cidr, wanted) -> {
          List<Release> all = List.copyOf(wanted.values());
          for (int i = 0; i < all.size(); i += AT_ONCE) {
            List<Release> some = all.subList(i, Math.min(all.size(), i + AT_ONCE));
            try {
              Releasing.Outcome outcome = releasing.release(cidr, some);
              released.addAll(outcome.released());
              notAssigned.addAll(outcome.notAssigned());
            } catch (IpamException e) {
              if (e.reason() == IpamException.Reason.NO_SUCH_BLOCK) {
                some.forEach(release -> notAssigned.add(release.address()));
              } else {
                refused.add(e);
              }
            } catch (DatastoreException e) {
              refused.add(e);
            }
          }
          giveUpIfDeselected(cidr);
        });
    return new Released(released, notAssigned, refused);
  }

  List<IpAddress> releaseByHandle(String id) {
    String handle = Conventions.sanitize(id);
    List<IpAddress> released = new ArrayList<>();
    if (releaseRecent(handle, released)) {
      return released;
    }
    Optional<Records.Stored<IpamHandle>> stored = records.handle(handle);
    if (stored.isEmpty() && released.isEmpty()) {
      throw Lookup.noSuchHandle(handle);
    }
    // Each round takes one block off the handle; others may add some while this goes on.
    for (int i = 0; i < ROUNDS && stored.isPresent(); i++) {
      IpamHandle now = stored.get().value();
      if (now.counts().isEmpty()) {
        counts.drop(stored.get());
      } else if (releaseOneBlock(stored.get(), released)) {
        return released;
      }
      stored = records.handle(handle);
    }
    if (stored.isPresent()) {
      throw new IpamException(
          IpamException.Reason.TOO_MANY_CONFLICTS,
          "handle %s got addresses as fast as it was released: try again".formatted(handle));
    }
    return released;
  }

  /**
   * Releases a handle that this process has just worked with, without reading it: where block and
   * handle are written at one moment, the handle is written only if it is still that one.
   *
   * @return whether that was all
   */
  private boolean releaseRecent(String handle, List<IpAddress> released) {
    return records.together()
        && Records.toHandle(blocks.recent().find(handle))
            .filter(known -> !known.value().counts().isEmpty())
            .map(known -> releaseOneBlock(known, released) && !released.isEmpty())
            .orElse(false);
  }

  /** Releases what a handle has of the first block that it names; true when it is gone then. */
  private boolean releaseOneBlock(Records.Stored<IpamHandle> handle, List<IpAddress> released) {
    IpPrefix cidr = handle.value().counts().keySet().iterator().next();
    HandleCounts.Released some = counts.release(cidr, handle);
    released.addAll(some.addresses());
    giveUpIfDeselected(cidr);
    return some.isGone();
  }

  /**
   * An empty block whose pool no longer selects its host is given up. The addresses are released by
   * now, so nothing that goes wrong here is the caller's business.
   */
  private void giveUpIfDeselected(IpPrefix cidr) {
    Optional<IpamBlock> block = blocks.queue(cidr).glance();
    Optional<BlockOwner> owner = block.flatMap(known -> BlockOwner.parse(known.affinity()));
    if (owner.isEmpty() || !blocks.edit(block.get()).isEmpty()) {
      return;
    }
    try {
      Ahead<Pools> pools =
          hosts.mayBeOld() ? Ahead.whenNeeded(surroundings::pools) : Ahead.ask(surroundings::pools);
      Map<String, String> labels =
          owner.get().type() == AffinityType.HOST ? currentLabels(owner.get().name()) : Map.of();
      Optional<Known<IpPool>> pool = pools.get().enabledFor(cidr.first());
      if (pool.isPresent()
          && owner.get().type() == AffinityType.HOST
          && !pool.get().value().nodeSelector().matches(labels)) {
        affinities.release(owner.get(), cidr, true, null);
        hosts.of(owner.get(), pool.get().value().version()).forget(cidr);
      }
    } catch (IpamException | DatastoreException _) {
      // No such node, in use again, or gone already.
    }
  }

  private Map<String, String> currentLabels(String node) {
    Known<Map<String, String>> labels = surroundings.labels(node);
    return (surroundings.areCurrent(labels) ? labels : surroundings.labels(node)).value();
  }
}
