package io.ocicat.ipam.block;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serialises this process's requests to one block, one write at a time. Requests that arrive during
 * a write queue up; the first of them then serves all of them with one write.
 *
 * <p>The block as it was last read or written is cached. However old it is, that is safe: a write
 * succeeds only if the block is still at that revision, and then every result of the batch is
 * right, including "full" and "not yours". When there is nothing to write, such a result is only
 * accepted from a block that was read or written after the request arrived. The same holds for
 * everything else the write relies on: the pool, the affinity and the settings are conditions of
 * the same transaction where the datastore has transactions.
 *
 * <p>A write whose answer is lost may still be applied at any later time. A read finds out; if it
 * is not there yet, the next attempt starts from the same revision, so at most one of the two
 * succeeds. When even the read fails, the requests have failed, and the next request releases what
 * the lost write may still assign.
 */
public final class BlockQueue {
  private static final int ATTEMPTS = 100;
  private static final int LOST_ANSWERS = 3;

  /** What is not released by then is left to garbage collection. */
  private static final int MAX_LATE = 64;

  /** How much else fits into the block's transaction: handles, and the requests' conditions. */
  private static final int MAX_PER_WRITE = 120;

  /** More would be refused by an API server that counts requests in flight. */
  private static final int COUNTED_AT_ONCE = 32;

  private final IpPrefix cidr;
  private final IpamRecords records;
  private final Cooldown.Source cooldown;
  private final BlockWriter writer;
  private final FullBlocks full;
  private final RetryBackoff backoff;
  private final LongSupplier nanoTime;
  private final ConcurrentLinkedQueue<PendingRequest<?>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicLong reads = new AtomicLong();
  private volatile CachedBlock cachedBlock = CachedBlock.NONE;

  /** Possibly written; owned by the thread that is {@link #busy}, as is the next field. */
  private @Nullable BlockDraft lost;

  private final ArrayDeque<BlockRequest<Boolean>> late = new ArrayDeque<>();

  /**
   * The cached block.
   *
   * @param readNumber the number of the datastore read it is from, counted when the read began; 0
   *     when it was supplied by another component
   */
  private record CachedBlock(IpamRecords.@Nullable Stored<IpamBlock> block, long readNumber) {
    static final CachedBlock NONE = new CachedBlock(null, 0);
  }

  BlockQueue(
      IpPrefix cidr,
      IpamRecords records,
      Cooldown.Source cooldown,
      BlockWriter writer,
      FullBlocks full,
      RetryBackoff backoff,
      LongSupplier nanoTime) {
    this.cidr = cidr;
    this.records = records;
    this.cooldown = cooldown;
    this.writer = writer;
    this.full = full;
    this.backoff = backoff;
    this.nanoTime = nanoTime;
  }

  public IpPrefix cidr() {
    return cidr;
  }

  /** Returns the cached block, however old. */
  public Optional<IpamBlock> cached() {
    return Optional.ofNullable(cachedBlock.block()).map(IpamRecords.Stored::value);
  }

  /** Returns the cached block, or reads it. */
  Optional<IpamRecords.Stored<IpamBlock>> cachedOrRead() {
    return Optional.ofNullable(cachedBlock.block()).or(this::read);
  }

  /** Reads the block. */
  public Optional<IpamRecords.Stored<IpamBlock>> read() {
    long before = nanoTime.getAsLong();
    long readNumber = reads.incrementAndGet();
    Optional<IpamRecords.Stored<IpamBlock>> read = records.block(cidr);
    cache(read.orElse(null), readNumber, before);
    return read;
  }

  /**
   * Caches the block as another component has just read or written it; null when it does not exist.
   */
  public void update(IpamRecords.@Nullable Stored<IpamBlock> block) {
    cache(block, 0, nanoTime.getAsLong());
  }

  private void cache(IpamRecords.@Nullable Stored<IpamBlock> block, long readNumber, long time) {
    cachedBlock = new CachedBlock(block, readNumber);
    full.update(cidr, block, time);
  }

  /** Clears the cache. */
  private void invalidate() {
    update(null);
  }

  /**
   * Queues the request and returns its result.
   *
   * @throws StaleViewException when something the request relies on has changed
   * @throws IpamException with NO_SUCH_BLOCK when the block does not exist; otherwise whatever the
   *     action threw
   */
  public <R> R perform(BlockRequest<R> request) {
    return serve(request).answer();
  }

  /** Like {@link #perform}, for callers that need more than the result. */
  public <R> PendingRequest<R> serve(BlockRequest<R> request) {
    PendingRequest<R> mine = new PendingRequest<>(request, reads.get());
    waiting.add(mine);
    yieldToOthers();
    while (!mine.isDone()) {
      if (busy.compareAndSet(false, true)) {
        try {
          revertLate();
          serve(nextBatch());
        } finally {
          busy.set(false);
          wakeNext();
        }
      } else {
        mine.await();
      }
    }
    return mine;
  }

  /**
   * A write pins its virtual thread's carrier, so other requests may be runnable but not queued
   * yet: yielding lets them queue, so that one write serves all. This is only an optimisation.
   */
  @SuppressWarnings("ThreadPriorityCheck")
  private static void yieldToOthers() {
    if (Thread.currentThread().isVirtual()) {
      Thread.yield();
    }
  }

  /**
   * A request that queued before {@link #busy} was cleared is seen here; a later one sees the
   * cleared flag.
   */
  private void wakeNext() {
    PendingRequest<?> next = waiting.peek();
    if (next != null) {
      next.wake();
    }
  }

  private void revertLater(BlockRequest<Boolean> request) {
    if (late.size() == MAX_LATE) {
      late.removeFirst();
    }
    late.addLast(request);
  }

  /**
   * Runs before any other request is served, and reports no result, since no caller waits for one.
   */
  private void revertLate() {
    for (int left = late.size(); left > 0; left--) {
      BlockRequest<Boolean> request = late.removeFirst();
      PendingRequest<Boolean> mine = new PendingRequest<>(request, reads.get());
      invalidate();
      serve(new ArrayList<>(List.of(mine)));
      try {
        mine.answer();
      } catch (UnavailableException _) {
        revertLater(request);
      } catch (RuntimeException _) {
        // The block is gone, and the address with it.
      }
    }
  }

  /**
   * As many as fit into one transaction, and at most one that depends on a specific handle
   * revision.
   */
  private List<PendingRequest<?>> nextBatch() {
    List<PendingRequest<?>> batch = new ArrayList<>();
    Set<String> handles = new HashSet<>();
    Set<String> pinned = new HashSet<>();
    Set<ResourceKey> relied = new HashSet<>();
    for (Iterator<PendingRequest<?>> all = waiting.iterator(); all.hasNext(); ) {
      PendingRequest<?> next = all.next();
      Set<String> wanted = next.request().handles();
      boolean alone = next.request().pinned() != null;
      boolean clashes =
          wanted.stream().anyMatch(h -> pinned.contains(h) || (alone && handles.contains(h)));
      next.request().conditions().forEach(condition -> relied.add(condition.key()));
      int room = MAX_PER_WRITE - handles.size() - relied.size();
      if (!batch.isEmpty() && (clashes || wanted.size() > room)) {
        break;
      }
      all.remove();
      batch.add(next);
      handles.addAll(wanted);
      if (alone) {
        pinned.addAll(wanted);
      }
    }
    return batch;
  }

  private void serve(List<PendingRequest<?>> batch) {
    lost = null;
    try {
      attempt(batch);
    } catch (RuntimeException e) {
      invalidate();
      failAll(batch, e);
      BlockDraft unanswered = lost;
      if (unanswered != null && unanswered.isRecognisable()) {
        revertLater(unanswered.reverting());
      }
    } catch (Error e) {
      failAll(batch, new IllegalStateException("a batched write failed", e));
      throw e;
    }
  }

  private static void failAll(List<PendingRequest<?>> batch, RuntimeException reason) {
    batch.stream().filter(pending -> !pending.isDone()).forEach(pending -> pending.fail(reason));
  }

  private void attempt(List<PendingRequest<?>> batch) {
    Map<String, @Nullable Resource> handles = new HashMap<>();
    batch.forEach(pending -> pin(pending.request(), handles));
    int lostAnswers = 0;
    for (int i = 0; i < ATTEMPTS && !batch.isEmpty(); i++) {
      IpamRecords.Stored<IpamBlock> block = cachedOrRead().orElse(null);
      long readNumber = cachedBlock.readNumber();
      BlockDraft written = lost;
      if (written != null && written.wasWritten(block == null ? null : block.value())) {
        batch.forEach(pending -> pending.finish(written));
        return;
      }
      if (block == null) {
        throw new IpamException(
            IpamException.Reason.NO_SUCH_BLOCK, "block %s does not exist".formatted(cidr));
      }
      BlockDraft draft = new BlockDraft(block, cooldown, readNumber, batch);
      if (!draft.isChanged()) {
        if (draft.needsFreshRead()) {
          invalidate();
          continue;
        }
        batch.forEach(pending -> pending.finish(draft));
        return;
      }
      if (!areCounted(block.resource().revision(), batch)) {
        continue;
      }
      try {
        if (write(draft, handles, batch)) {
          return;
        }
        batch.removeIf(PendingRequest::isDone);
        if (batch.isEmpty()) {
          return;
        }
        backoff.afterConflict(i);
      } catch (UnavailableException e) {
        invalidate();
        if (e.outcomeUnknown()) {
          lost = draft;
        }
        if (!e.outcomeUnknown() || draft.isAnonymous() || ++lostAnswers > LOST_ANSWERS) {
          throw e;
        }
      }
    }
    if (!batch.isEmpty()) {
      throw Blocks.tooManyConflicts(cidr, ATTEMPTS);
    }
  }

  /**
   * Counts what the requests are about to be allocated, as {@link Handles} explains. All are
   * counted concurrently, so that a write waits for two round trips, however many requests share
   * it.
   *
   * @return whether all were counted; the others have failed, and the rest needs another draft
   */
  private static boolean areCounted(String base, List<PendingRequest<?>> batch) {
    List<Supplier<Boolean>> counts = new ArrayList<>();
    for (PendingRequest<?> pending : batch) {
      if (pending.isCounted()) {
        counts.add(() -> pending.countDraft(base));
      }
    }
    boolean all = true;
    for (int i = 0; i < counts.size(); i += COUNTED_AT_ONCE) {
      List<Supplier<Boolean>> some =
          counts.subList(i, Math.min(counts.size(), i + COUNTED_AT_ONCE));
      all &= !Prefetch.all(some).contains(false);
    }
    batch.removeIf(PendingRequest::isDone);
    return all;
  }

  private static void pin(BlockRequest<?> request, Map<String, @Nullable Resource> handles) {
    Resource pinned = request.pinned();
    if (pinned != null) {
      handles.put(pinned.key().name(), pinned.revision().isEmpty() ? null : pinned);
    }
  }

  private boolean write(
      BlockDraft draft, Map<String, @Nullable Resource> handles, List<PendingRequest<?>> batch) {
    long before = nanoTime.getAsLong();
    long readNumber = reads.incrementAndGet();
    BlockWriter.Outcome outcome = writer.write(draft, handles);
    cache(outcome.block(), readNumber, before);
    return switch (outcome) {
      case BlockWriter.Outcome.Written(var _, Set<String> deletedHandles) -> {
        batch.forEach(pending -> pending.finish(draft, deletedHandles));
        yield true;
      }
      case BlockWriter.Outcome.Refused(var _, var current) -> {
        current.ifPresent(now -> batch.forEach(pending -> failIfStale(pending, now)));
        yield false;
      }
    };
  }

  private static void failIfStale(PendingRequest<?> pending, Map<ResourceKey, Resource> current) {
    for (Write.Expect condition : pending.request().conditions()) {
      if (!condition.revision().equals(revision(current.get(condition.key())))) {
        pending.fail(new StaleViewException(condition.key().describe() + " has changed"));
        return;
      }
    }
    Resource pinned = pending.request().pinned();
    if (pinned != null && !pinned.revision().equals(revision(current.get(pinned.key())))) {
      pending.fail(new StaleViewException(pinned.describe() + " has changed"));
    }
  }

  private static String revision(@Nullable Resource resource) {
    return resource == null ? "" : resource.revision();
  }
}
