package io.ocicat.ipam.block;

import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.BlockAffinity.State;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolChoice;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.BlockOwner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cached list of the blocks that an owner has in one family. It may be outdated; where that
 * matters, the affinity is a condition of the write, or the list is read again. Thread-safe.
 */
public final class HostBlocks {
  /** What is older may have changed. */
  private static final long MOMENT = Duration.ofSeconds(1).toNanos();

  private final IpamRecords records;
  private final BlockWriter writer;
  private final BlockOwner owner;
  private final IpVersion version;
  private final LongSupplier nanoTime;
  private final Map<IpPrefix, Affine> affinities = new TreeMap<>();
  private @Nullable List<Affine> inOrder;
  private long changes;
  private boolean listed;
  private long listedAt;
  private final AtomicLong clock = new AtomicLong();
  private long lastListing;
  private @Nullable Within within;
  private @Nullable Open open;

  /**
   * Held while the list is read, so that concurrent requests share it. Not a monitor: the model
   * test can reproduce the order in which threads get a lock.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private final ReentrantLock claiming = new ReentrantLock();
  private final ReentrantLock reconciling = new ReentrantLock();
  private long generation;

  public HostBlocks(
      IpamRecords records,
      BlockWriter writer,
      BlockOwner owner,
      IpVersion version,
      LongSupplier nanoTime) {
    this.records = records;
    this.writer = writer;
    this.owner = owner;
    this.version = version;
    this.nanoTime = nanoTime;
  }

  /** The block lists of all owners that one process works for. */
  public static final class Register {
    private record Id(BlockOwner owner, IpVersion version) {}

    private final IpamRecords records;
    private final BlockWriter writer;
    private final LongSupplier nanoTime;
    private final Map<Id, HostBlocks> all = new ConcurrentHashMap<>();

    public Register(IpamRecords records, BlockWriter writer, LongSupplier nanoTime) {
      this.records = records;
      this.writer = writer;
      this.nanoTime = nanoTime;
    }

    public HostBlocks of(BlockOwner owner, IpVersion version) {
      return all.computeIfAbsent(
          new Id(owner, version),
          id -> new HostBlocks(records, writer, id.owner(), id.version(), nanoTime));
    }

    public void invalidate() {
      all.values().forEach(HostBlocks::invalidate);
    }
  }

  /** A cached affinity. */
  public record Affine(IpPrefix cidr, Resource affinity, boolean isConfirmed) {
    public static Affine of(IpPrefix cidr, Resource affinity) {
      State state = BlockAffinity.of(affinity).state();
      return new Affine(cidr, affinity, state == State.CONFIRMED || state == State.UNKNOWN);
    }
  }

  /** Caches that all blocks, as of this change number, are in some pools. */
  private record Within(long changes, List<Revisioned<IpPool>> pools) {}

  /** Caches the blocks that were not full, as of these change and opening numbers. */
  private record Open(long changes, long openings, List<Affine> withRoom) {}

  /** The current time, for {@link #list(long)}. */
  public long now() {
    return clock.incrementAndGet();
  }

  /** Returns the blocks in address order. Read from the datastore when nothing is cached. */
  public List<Affine> list() {
    return list(now());
  }

  /**
   * Returns the blocks in address order. Read from the datastore when nothing is cached and, unless
   * the cache may be outdated, when it was read before {@code since}.
   */
  public List<Affine> list(long since) {
    return locked(() -> listLocked(since));
  }

  private List<Affine> listLocked(long since) {
    if (!listed || (!writer.detectsStaleness() && lastListing < since)) {
      refreshLocked();
    }
    List<Affine> known = inOrder;
    if (known == null) {
      known = List.copyOf(affinities.values());
      inOrder = known;
    }
    return known;
  }

  /**
   * Returns the blocks that are not known to be full, in address order. Some may be full by now.
   */
  public List<Affine> withRoom(FullBlocks full, long since) {
    return locked(
        () -> {
          List<Affine> all = listLocked(since);
          long openings = full.openings();
          Open known = open;
          if (known == null || known.changes() != changes || known.openings() != openings) {
            List<Affine> some = all.stream().filter(block -> !full.contains(block.cidr())).toList();
            known = new Open(changes, openings, some);
            open = known;
          }
          return known.withRoom();
        });
  }

  /** The CIDRs of the cached blocks. */
  public Set<IpPrefix> cidrs() {
    return locked(() -> Set.copyOf(affinities.keySet()));
  }

  /** Whether all blocks are in these pools; the answer is cached until either changes. */
  public boolean areAllWithin(List<Revisioned<IpPool>> pools, long since) {
    return locked(
        () -> {
          List<Affine> blocks = listLocked(since);
          Within wanted = new Within(changes, pools);
          if (wanted.equals(within)) {
            return true;
          }
          boolean all =
              blocks.stream()
                  .allMatch(
                      block -> PoolChoice.containing(pools, block.cidr().first()).isPresent());
          within = all ? wanted : null;
          return all;
        });
  }

  /** Held while a block is claimed, so that concurrent requests share one. */
  public ReentrantLock claiming() {
    return claiming;
  }

  /**
   * Held while an affinity and its block are reconciled: without transactions, concurrent attempts
   * would undo each other's steps.
   */
  public ReentrantLock reconciling() {
    return reconciling;
  }

  private void change() {
    inOrder = null;
    changes++;
  }

  /** Changes each time a block is added. */
  public long generation() {
    return locked(() -> generation);
  }

  /** Reads the list again, unless that was done a moment ago. */
  public void refreshUnlessJustDone() {
    locked(
        () -> {
          if (!listed || nanoTime.getAsLong() - listedAt > MOMENT) {
            refreshLocked();
          }
          return listed;
        });
  }

  /** Reads the list again. */
  public void refresh() {
    locked(this::refreshLocked);
  }

  private boolean refreshLocked() {
    listedAt = nanoTime.getAsLong();
    lastListing = now();
    ResourceQuery query = new ResourceQuery.Affinities(owner.type(), owner.name(), version);
    List<Resource> found = records.datastore().list(query).items();
    Set<IpPrefix> before = Set.copyOf(affinities.keySet());
    affinities.clear();
    change();
    for (Resource affinity : found) {
      if (!BlockAffinity.of(affinity).deleted()) {
        IpPrefix cidr = ((ResourceKey.Affinity) affinity.key()).cidr();
        affinities.put(cidr, Affine.of(cidr, affinity));
      }
    }
    if (!before.containsAll(affinities.keySet())) {
      generation++;
    }
    listed = true;
    return true;
  }

  public void update(IpPrefix cidr, Resource affinity) {
    locked(
        () -> {
          affinities.put(cidr, Affine.of(cidr, affinity));
          change();
          return ++generation;
        });
  }

  public void remove(IpPrefix cidr) {
    locked(
        () -> {
          affinities.remove(cidr);
          change();
          return changes;
        });
  }

  /** Invalidates the cache: the next list is read from the datastore. */
  public void invalidate() {
    locked(() -> listed = false);
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }
}
