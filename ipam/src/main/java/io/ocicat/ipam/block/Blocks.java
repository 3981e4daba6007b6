package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.IpamException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The cache of blocks, each with its queue of requests. Thread-safe. */
public final class Blocks {
  /** The number of cached blocks, about ten kilobytes each; a host has about twenty. */
  private static final int MAX_ENTRIES = 256;

  private final IpamRecords records;
  private final Cooldown.Source cooldown;
  private final BlockWriter writer;
  private final FullBlocks full = new FullBlocks();
  private final RetryBackoff backoff;
  private final LongSupplier nanoTime;
  private final Map<IpPrefix, BlockQueue> queues =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<IpPrefix, BlockQueue> eldest) {
              return size() > MAX_ENTRIES;
            }
          });

  public Blocks(
      IpamRecords records,
      Cooldown.Source cooldown,
      BlockWriter writer,
      RetryBackoff backoff,
      LongSupplier nanoTime) {
    this.records = records;
    this.cooldown = cooldown;
    this.writer = writer;
    this.backoff = backoff;
    this.nanoTime = nanoTime;
  }

  public BlockQueue queue(IpPrefix cidr) {
    return queues.computeIfAbsent(
        cidr, block -> new BlockQueue(block, records, cooldown, writer, full, backoff, nanoTime));
  }

  /** The current cooldown of released addresses. */
  public Cooldown.Source cooldown() {
    return cooldown;
  }

  /** Opens a block for changes under the current cooldown. */
  public BlockEdit edit(IpamBlock block) {
    return new BlockEdit(block, cooldown);
  }

  /** The number of addresses of a block available for automatic assignment, as far as is known. */
  public int room(IpamBlock block, Reservations reservations) {
    return BlockEdit.room(block, cooldown, reservations);
  }

  /** The blocks that were full when last seen. */
  public FullBlocks full() {
    return full;
  }

  /** Finds out which full blocks have changed, if that is possible without reading each. */
  public void recheck(Collection<IpPrefix> cidrs, long now) {
    writer.recheck(this, cidrs, now);
  }

  /** Changes the attributes recorded for an address. */
  public void change(IpPrefix cidr, Consumer<BlockEdit> change) {
    queue(cidr)
        .perform(
            new BlockRequest<>(
                edit -> {
                  change.accept(edit);
                  return true;
                },
                _ -> true,
                Set.of()));
  }

  /** Clears the caches. */
  public void invalidate() {
    queues.clear();
    full.clear();
    writer.invalidate();
  }

  static IpamException noSuchBlock(IpPrefix cidr) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_BLOCK, "block %s does not exist".formatted(cidr));
  }

  static IpamException tooManyConflicts(IpPrefix cidr, int times) {
    return new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "block %s was changed by others each of %d times: try again".formatted(cidr, times));
  }
}
