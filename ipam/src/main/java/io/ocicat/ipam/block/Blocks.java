package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The cache of blocks, each with its queue of requests. Thread-safe. */
public final class Blocks {
  /** The number of cached blocks, about ten kilobytes each; a host has about twenty. */
  private static final int MAX_ENTRIES = 256;

  /** The number of conditions that fit into one transaction. */
  private static final int MAX_PER_WRITE = 100;

  private final IpamRecords records;
  private final Cooldown.Source cooldown;
  private final RecentHandles recent = new RecentHandles();
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
      IpamRecords records, Cooldown.Source cooldown, RetryBackoff backoff, LongSupplier nanoTime) {
    this.records = records;
    this.cooldown = cooldown;
    this.backoff = backoff;
    this.nanoTime = nanoTime;
  }

  public BlockQueue queue(IpPrefix cidr) {
    return queues.computeIfAbsent(
        cidr, block -> new BlockQueue(block, records, cooldown, recent, full, backoff, nanoTime));
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

  /** The handles that this process has recently used. */
  public RecentHandles recent() {
    return recent;
  }

  /**
   * Checks which of the full blocks have changed. Where the datastore supports it, a hundred at a
   * time are checked by their revisions alone.
   */
  public void recheck(Collection<IpPrefix> blocks, long now) {
    if (!records.hasTransactions()) {
      return;
    }
    List<Map.Entry<IpPrefix, String>> outdated = List.copyOf(full.outdated(blocks, now).entrySet());
    for (int i = 0; i < outdated.size(); i += MAX_PER_WRITE) {
      recheckBatch(outdated.subList(i, Math.min(outdated.size(), i + MAX_PER_WRITE)), now);
    }
  }

  private void recheckBatch(List<Map.Entry<IpPrefix, String>> outdated, long now) {
    List<Write> questions = new ArrayList<>();
    outdated.forEach(
        entry ->
            questions.add(
                new Write.Expect(new ResourceKey.Block(entry.getKey()), entry.getValue())));
    switch (records.datastore().commit(questions)) {
      case WriteOutcome.Done _ ->
          outdated.forEach(entry -> full.confirm(entry.getKey(), entry.getValue(), now));
      case WriteOutcome.Refused(var current) ->
          outdated.forEach(
              entry -> {
                IpPrefix cidr = entry.getKey();
                queue(cidr)
                    .update(
                        IpamRecords.toBlock(current.get(new ResourceKey.Block(cidr))).orElse(null));
              });
    }
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
    recent.clear();
  }

  public static IpamException noSuchBlock(IpPrefix cidr) {
    return new IpamException(
        IpamException.Reason.NO_SUCH_BLOCK, "block %s does not exist".formatted(cidr));
  }

  public static IpamException tooManyConflicts(IpPrefix cidr, int times) {
    return new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "block %s was changed by others each of %d times: try again".formatted(cidr, times));
  }
}
