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
import org.jspecify.annotations.Nullable;

/**
 * Which blocks an owner has of one family, as it was last listed or claimed. What is kept may be
 * old; where it matters the affinity is a condition of the write, or is listed again. Thread-safe.
 */
public final class HostBlocks {
  /** What is older may be different by now. */
  private static final long MOMENT = Duration.ofSeconds(1).toNanos();

  private final IpamRecords records;
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

  private final ReentrantLock claiming = new ReentrantLock();
  private final ReentrantLock settling = new ReentrantLock();
  private long generation;

  public HostBlocks(
      IpamRecords records, BlockOwner owner, IpVersion version, LongSupplier nanoTime) {
    this.records = records;
    this.owner = owner;
    this.version = version;
    this.nanoTime = nanoTime;
  }

  /** All that one process works for. */
  public static final class Register {
    private record Id(BlockOwner owner, IpVersion version) {}

    private final IpamRecords records;
    private final LongSupplier nanoTime;
    private final Map<Id, HostBlocks> all = new ConcurrentHashMap<>();

    public Register(IpamRecords records, LongSupplier nanoTime) {
      this.records = records;
      this.nanoTime = nanoTime;
    }

    public HostBlocks of(BlockOwner owner, IpVersion version) {
      return all.computeIfAbsent(
          new Id(owner, version),
          id -> new HostBlocks(records, id.owner(), id.version(), nanoTime));
    }

    /** Whether what is kept is a condition of every write, so that it may be old. */
    public boolean mayBeOld() {
      return records.together();
    }

    public void forget() {
      all.values().forEach(HostBlocks::doubt);
    }
  }

  /** An affinity as far as it is known. */
  public record Affine(IpPrefix cidr, Resource affinity, boolean isConfirmed) {
    public static Affine of(IpPrefix cidr, Resource affinity) {
      State state = BlockAffinity.of(affinity).state();
      return new Affine(cidr, affinity, state == State.CONFIRMED || state == State.UNKNOWN);
    }
  }

  /** All blocks, after so many changes, were found to be of some pools. */
  private record Within(long changes, List<Revisioned<IpPool>> pools) {}

  /** What was not full, after so many changes and when so many had ceased to be full. */
  private record Open(long changes, long openings, List<Affine> withRoom) {}

  /** A moment, for {@link #list(long)}. */
  public long now() {
    return clock.incrementAndGet();
  }

  /** Whether what is kept is a condition of every write, so that it may be old. */
  public boolean mayBeOld() {
    return records.together();
  }

  /** In the order of their addresses. Read from the datastore when nothing is known. */
  public List<Affine> list() {
    return list(now());
  }

  /**
   * In the order of their addresses. Read from the datastore when nothing is known, and, unless it
   * may be old, when nothing was read since a certain moment.
   */
  public synchronized List<Affine> list(long since) {
    if (!listed || (!mayBeOld() && lastListing < since)) {
      refresh();
    }
    List<Affine> known = inOrder;
    if (known == null) {
      known = List.copyOf(affinities.values());
      inOrder = known;
    }
    return known;
  }

  /**
   * Those that may have room, in the order of their addresses: all that are not known to be full.
   * Some may be by now.
   */
  public synchronized List<Affine> withRoom(FullBlocks full, long since) {
    List<Affine> all = list(since);
    long openings = full.openings();
    Open known = open;
    if (known == null || known.changes() != changes || known.openings() != openings) {
      List<Affine> some = all.stream().filter(block -> !full.contains(block.cidr())).toList();
      known = new Open(changes, openings, some);
      open = known;
    }
    return known.withRoom();
  }

  /** As far as they are known. */
  public synchronized Set<IpPrefix> cidrs() {
    return Set.copyOf(affinities.keySet());
  }

  /** Whether all are of these pools; the answer is kept until either changes. */
  public synchronized boolean areAllWithin(List<Revisioned<IpPool>> pools, long since) {
    List<Affine> blocks = list(since);
    Within wanted = new Within(changes, pools);
    if (wanted.equals(within)) {
      return true;
    }
    boolean all =
        blocks.stream()
            .allMatch(block -> PoolChoice.containing(pools, block.cidr().first()).isPresent());
    within = all ? wanted : null;
    return all;
  }

  /** Held while a block is claimed, so that requests at the same time share one. */
  public ReentrantLock claiming() {
    return claiming;
  }

  /**
   * Held while an affinity and its block are made to agree: many at once would each undo what the
   * others have begun, where a datastore writes one thing at a time.
   */
  public ReentrantLock settling() {
    return settling;
  }

  private void change() {
    inOrder = null;
    changes++;
  }

  /** Another one each time that a block came. */
  public synchronized long generation() {
    return generation;
  }

  /** Reads them anew, unless that was done a moment ago. */
  public synchronized void refreshUnlessJustDone() {
    if (!listed || nanoTime.getAsLong() - listedAt > MOMENT) {
      refresh();
    }
  }

  /** Reads them anew. */
  public synchronized void refresh() {
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
  }

  public synchronized void learn(IpPrefix cidr, Resource affinity) {
    affinities.put(cidr, Affine.of(cidr, affinity));
    change();
    generation++;
  }

  public synchronized void forget(IpPrefix cidr) {
    affinities.remove(cidr);
    change();
  }

  /** The next list is read from the datastore. */
  public synchronized void doubt() {
    listed = false;
  }
}
