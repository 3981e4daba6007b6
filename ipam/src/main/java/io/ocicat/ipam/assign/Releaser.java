package io.ocicat.ipam.assign;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.BlockReleaser;
import io.ocicat.ipam.block.BlockWriter;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolList;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Releases addresses, individually or by handle, across blocks. Thread-safe. */
public final class Releaser {
  private static final int ROUNDS = 100;

  /** The number of handles that fit into one write. */
  private static final int MAX_PER_WRITE = 100;

  private final IpamRecords records;
  private final ClusterView view;
  private final Blocks blocks;
  private final BlockWriter writer;
  private final BlockReleaser blockReleaser;
  private final HandleCounts counts;
  private final Affinities affinities;
  private final HostBlocks.Register hosts;
  private final AddressLookup lookup;

  public Releaser(
      IpamRecords records,
      ClusterView view,
      Blocks blocks,
      BlockWriter writer,
      BlockReleaser blockReleaser,
      HandleCounts counts,
      Affinities affinities,
      HostBlocks.Register hosts,
      AddressLookup lookup) {
    this.records = records;
    this.view = view;
    this.blocks = blocks;
    this.writer = writer;
    this.blockReleaser = blockReleaser;
    this.counts = counts;
    this.affinities = affinities;
    this.hosts = hosts;
    this.lookup = lookup;
  }

  public ReleaseResult release(List<ReleaseRequest> releases) {
    List<IpAddress> released = new ArrayList<>();
    List<IpAddress> notAssigned = new ArrayList<>();
    List<RuntimeException> refused = new ArrayList<>();
    Map<IpPrefix, Map<IpAddress, ReleaseRequest>> byBlock = new LinkedHashMap<>();
    List<IpAddress> addresses = releases.stream().map(ReleaseRequest::address).distinct().toList();
    Map<IpAddress, Optional<IpPrefix>> found = lookup.blocksOf(view.pools(), addresses);
    for (ReleaseRequest release : releases) {
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
          List<ReleaseRequest> all = List.copyOf(wanted.values());
          for (int i = 0; i < all.size(); i += MAX_PER_WRITE) {
            List<ReleaseRequest> some = all.subList(i, Math.min(all.size(), i + MAX_PER_WRITE));
            try {
              BlockReleaser.Outcome outcome = blockReleaser.release(cidr, some);
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
          releaseIfDeselected(cidr);
        });
    return new ReleaseResult(released, notAssigned, refused);
  }

  /** Starts the read of {@link #releaseByHandle}; empty when handles are mostly cached. */
  public Optional<ReleasePrefetch> prefetch(String id) {
    String handle = CalicoConventions.sanitize(id);
    return writer.detectsStaleness()
        ? Optional.empty()
        : Optional.of(new ReleasePrefetch(handle, Prefetch.start(() -> records.handle(handle))));
  }

  public List<IpAddress> releaseByHandle(String id, Optional<ReleasePrefetch> prefetch) {
    String handle = CalicoConventions.sanitize(id);
    List<IpAddress> released = new ArrayList<>();
    if (releaseCached(handle, released)) {
      return released;
    }
    // Only a read that starts now proves that no handle exists.
    Optional<IpamRecords.Stored<IpamHandle>> stored =
        prefetch.flatMap(it -> it.find(handle)).or(() -> records.handle(handle));
    if (stored.isEmpty() && released.isEmpty()) {
      throw AddressLookup.noSuchHandle(handle);
    }
    // Each round removes some blocks from the handle; others may add some in the meantime.
    for (int i = 0; i < ROUNDS && stored.isPresent(); i++) {
      IpamHandle now = stored.get().value();
      if (now.counts().isEmpty()) {
        counts.delete(stored.get());
      } else if (releaseSome(stored.get(), released)) {
        return released;
      }
      stored = records.handle(handle);
    }
    if (stored.isPresent()) {
      throw new IpamException(
          IpamException.Reason.TOO_MANY_CONFLICTS,
          "handle %s was assigned addresses as fast as they were released: try again"
              .formatted(handle));
    }
    return released;
  }

  /**
   * Releases a recently used handle without reading it.
   *
   * @return whether the handle had no other addresses
   */
  private boolean releaseCached(String handle, List<IpAddress> released) {
    return writer
        .cachedHandle(handle)
        .filter(cached -> !cached.value().counts().isEmpty())
        .map(cached -> releaseSome(cached, released) && !released.isEmpty())
        .orElse(false);
  }

  /** Releases a handle's addresses of some blocks; true when the handle is gone afterwards. */
  private boolean releaseSome(IpamRecords.Stored<IpamHandle> handle, List<IpAddress> released) {
    List<Runnable> last = new ArrayList<>();
    BlockWriter.Released some =
        writer.release(blocks, handle, written -> last.add(checkDeselected(written)));
    released.addAll(some.addresses());
    last.forEach(Runnable::run);
    return some.isGone();
  }

  private void releaseIfDeselected(IpPrefix cidr) {
    checkDeselected(List.of(cidr)).run();
  }

  /**
   * Releases empty blocks whose pools no longer select their host. The addresses are already
   * released, so a failure here does not concern the caller.
   *
   * @return releases the blocks; the reads it needs have been started
   */
  private Runnable checkDeselected(List<IpPrefix> written) {
    Map<IpPrefix, BlockOwner> empty = new LinkedHashMap<>();
    for (IpPrefix cidr : written) {
      Optional<IpamBlock> block = blocks.queue(cidr).cached();
      block
          .filter(known -> blocks.edit(known).isEmpty())
          .flatMap(known -> BlockOwner.parse(known.affinity()))
          .filter(owner -> owner.type() == AffinityType.HOST)
          .ifPresent(owner -> empty.put(cidr, owner));
    }
    if (empty.isEmpty()) {
      return () -> {};
    }
    Supplier<Map<IpPrefix, BlockOwner>> question = () -> deselected(empty);
    Prefetch<Map<IpPrefix, BlockOwner>> deselected = writer.prefetch(question);
    return () -> {
      try {
        deselected.get().forEach(this::releaseBlock);
      } catch (IpamException | DatastoreException _) {
        // The node does not exist, or the datastore is unavailable.
      }
    };
  }

  private Map<IpPrefix, BlockOwner> deselected(Map<IpPrefix, BlockOwner> empty) {
    PoolList pools = view.pools();
    Map<IpPrefix, BlockOwner> deselected = new LinkedHashMap<>();
    empty.forEach(
        (cidr, owner) ->
            pools
                .enabledFor(cidr.first())
                .map(pool -> pool.value().nodeSelector())
                .filter(selector -> !selects(selector, owner))
                .ifPresent(_ -> deselected.put(cidr, owner)));
    return deselected;
  }

  /** Reads no labels where a pool selects all nodes, as most do. */
  private boolean selects(Selector selector, BlockOwner host) {
    return selector instanceof Selector.All || selector.matches(currentLabels(host.name()));
  }

  private void releaseBlock(IpPrefix cidr, BlockOwner owner) {
    try {
      affinities.release(owner, cidr, true, null);
      hosts.of(owner, IpVersion.of(cidr)).remove(cidr);
    } catch (IpamException | DatastoreException _) {
      // In use again, or gone already.
    }
  }

  private Map<String, String> currentLabels(String node) {
    Revisioned<Map<String, String>> labels = view.labels(node);
    return (view.areCurrent(labels) ? labels : view.labels(node)).value();
  }
}
