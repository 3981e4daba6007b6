package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An index of a family's blocks as this process last saw them, so that a new block is found without
 * probing each existing one or listing all of them each time. It may be outdated: creating a block
 * decides whether it is free, writing it whether it has room, and all blocks are listed before a
 * request is refused because nothing is left. Thread-safe.
 */
public final class BlockIndex {
  private static final long YOUNG = Duration.ofSeconds(1).toNanos();

  private final IpamRecords records;
  private final Cooldown.Source cooldown;
  private final IpVersion version;
  private final LongSupplier nanoTime;
  private final TreeMap<IpPrefix, Entry> blocks = new TreeMap<>();
  private boolean listed;
  private long listedAt;

  /**
   * The indexed properties of a block.
   *
   * @param free the number of free addresses, including reserved ones
   */
  public record Entry(
      IpPrefix cidr,
      @Nullable String affinity,
      int free,
      boolean isEmpty,
      long sequenceNumber,
      @Nullable String claimTime) {

    static Entry of(IpamBlock block, BlockEdit edit) {
      return new Entry(
          block.cidr(),
          block.affinity(),
          edit.freeCount(),
          edit.isEmpty(),
          block.sequenceNumber(),
          block.claimTime());
    }

    /** Whether it was claimed long enough ago for its owner to have used it by now. */
    boolean isClaimedBefore(Instant time) {
      try {
        return claimTime == null || Instant.parse(claimTime).isBefore(time);
      } catch (DateTimeParseException _) {
        return true;
      }
    }
  }

  BlockIndex(
      IpamRecords records, Cooldown.Source cooldown, IpVersion version, LongSupplier nanoTime) {
    this.records = records;
    this.cooldown = cooldown;
    this.version = version;
    this.nanoTime = nanoTime;
  }

  synchronized boolean isYoung() {
    return listed && nanoTime.getAsLong() - listedAt < YOUNG;
  }

  synchronized boolean isListed() {
    return listed;
  }

  /** Lists all blocks of the family. */
  public synchronized void refresh() {
    blocks.clear();
    listedAt = nanoTime.getAsLong();
    for (IpamRecords.Stored<IpamBlock> block : records.blocks(new ResourceQuery.Blocks(version))) {
      update(block.value());
    }
    listed = true;
  }

  public synchronized void update(IpamBlock block) {
    blocks.put(block.cidr(), Entry.of(block, new BlockEdit(block, cooldown)));
  }

  public synchronized void remove(IpPrefix cidr) {
    blocks.remove(cidr);
  }

  public synchronized @Nullable Entry find(IpPrefix cidr) {
    return blocks.get(cidr);
  }

  /** Whether a block of another size overlaps this one: both would assign the same addresses. */
  synchronized boolean isOverlapped(IpPrefix cidr) {
    IpPrefix before = blocks.lowerKey(cidr);
    IpPrefix after = blocks.higherKey(cidr);
    return (before != null && before.overlaps(cidr)) || (after != null && after.overlaps(cidr));
  }
}
