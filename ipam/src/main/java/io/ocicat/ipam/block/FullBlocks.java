package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that had no free address when this process last read or wrote them, so that allocations
 * skip them without a read. Holds only that fact, not the block. Releases of this process clear it
 * at once; releases of others are found before a block is claimed, by {@link #outdated} and the
 * revision. Thread-safe.
 */
public final class FullBlocks {
  /** What is older may have changed. */
  private static final long MOMENT = Duration.ofSeconds(1).toNanos();

  /** More than any host has; beyond that, the cache starts over. */
  private static final int MAX_ENTRIES = 1 << 16;

  private record Full(String revision, long seen) {}

  private final Map<IpPrefix, Full> full = new ConcurrentHashMap<>();
  private final AtomicLong openings = new AtomicLong();

  /** Records a block that was seen at this time or later; null when it does not exist. */
  public void update(IpPrefix cidr, IpamRecords.@Nullable Stored<IpamBlock> block, long time) {
    if (block == null || mayGetRoom(block.value())) {
      if (full.remove(cidr) != null) {
        openings.incrementAndGet();
      }
      return;
    }
    if (full.size() >= MAX_ENTRIES) {
      clear();
    }
    full.put(cidr, new Full(block.resource().revision(), time));
  }

  /** An address in cooldown becomes free without a write to the block. */
  private static boolean mayGetRoom(IpamBlock block) {
    return !block.unallocated().isEmpty() || Cooldown.concerns(block);
  }

  public boolean contains(IpPrefix cidr) {
    return full.containsKey(cidr);
  }

  /** Whether the block was full within the last moment. */
  public boolean isRecent(IpPrefix cidr, long now) {
    Full known = full.get(cidr);
    return known != null && now - known.seen() <= MOMENT;
  }

  /**
   * Returns those of the blocks that were last seen full longer than a moment ago, with their
   * revisions then.
   */
  Map<IpPrefix, String> outdated(Collection<IpPrefix> blocks, long now) {
    Map<IpPrefix, String> outdated = new LinkedHashMap<>();
    for (IpPrefix cidr : blocks) {
      Full known = full.get(cidr);
      if (known != null && now - known.seen() > MOMENT) {
        outdated.put(cidr, known.revision());
      }
    }
    return outdated;
  }

  /** The block still has this revision at this time or later, and so is still full. */
  void confirm(IpPrefix cidr, String revision, long time) {
    full.computeIfPresent(
        cidr, (_, known) -> known.revision().equals(revision) ? new Full(revision, time) : known);
  }

  /** Changes each time a block ceases to be full. */
  long openings() {
    return openings.get();
  }

  public void clear() {
    full.clear();
    openings.incrementAndGet();
  }
}
