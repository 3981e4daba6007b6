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
 * Blocks that had no free address when this process last read or wrote them, so that an allocation
 * passes them by without a look. Only that is kept, not the block. That one of them has room again
 * since is known at once when this process has released something; what others have released is
 * found before a block is claimed, by {@link #unsure} and the revision. Thread-safe.
 */
public final class FullBlocks {
  /** What is older may be different by now. */
  private static final long MOMENT = Duration.ofSeconds(1).toNanos();

  /** More than any host has; then everything is found out anew. */
  private static final int MOST = 1 << 16;

  private record Full(String revision, long seen) {}

  private final Map<IpPrefix, Full> full = new ConcurrentHashMap<>();
  private final AtomicLong openings = new AtomicLong();

  /** A block was seen, at this time or later; null when there is none. */
  public void learn(IpPrefix cidr, IpamRecords.@Nullable Stored<IpamBlock> block, long time) {
    if (block == null || hasRoomSometime(block.value())) {
      if (full.remove(cidr) != null) {
        openings.incrementAndGet();
      }
      return;
    }
    if (full.size() >= MOST) {
      clear();
    }
    full.put(cidr, new Full(block.resource().revision(), time));
  }

  /** What cools down is free some day without that anybody writes the block. */
  private static boolean hasRoomSometime(IpamBlock block) {
    return !block.unallocated().isEmpty() || Cooldown.concerns(block);
  }

  public boolean contains(IpPrefix cidr) {
    return full.containsKey(cidr);
  }

  /** Whether it was full a moment ago. */
  public boolean isSure(IpPrefix cidr, long now) {
    Full known = full.get(cidr);
    return known != null && now - known.seen() <= MOMENT;
  }

  /** Those of the blocks that were full longer than a moment ago, with their revisions then. */
  public Map<IpPrefix, String> unsure(Collection<IpPrefix> blocks, long now) {
    Map<IpPrefix, String> unsure = new LinkedHashMap<>();
    for (IpPrefix cidr : blocks) {
      Full known = full.get(cidr);
      if (known != null && now - known.seen() > MOMENT) {
        unsure.put(cidr, known.revision());
      }
    }
    return unsure;
  }

  /** Still of this revision, at this time or later, and so still full. */
  public void confirm(IpPrefix cidr, String revision, long time) {
    full.computeIfPresent(
        cidr, (_, known) -> known.revision().equals(revision) ? new Full(revision, time) : known);
  }

  /** Another number each time that a block is no longer among them. */
  public long openings() {
    return openings.get();
  }

  public void clear() {
    full.clear();
    openings.incrementAndGet();
  }
}
