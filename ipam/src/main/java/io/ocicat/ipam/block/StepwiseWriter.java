package io.ocicat.ipam.block;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.BlockAffinity.State;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes one record at a time, in Calico's order. {@link Handles} explains the order of a block and
 * its handles, {@link Affinities} that of a block and its affinity.
 */
final class StepwiseWriter implements BlockWriter {
  /** The number of blocks of one handle that are released concurrently. */
  private static final int AT_ONCE = 32;

  private final IpamRecords records;
  private final Datastore datastore;
  private final Cooldown.Source cooldown;
  private final Handles handles;

  StepwiseWriter(IpamRecords records, Cooldown.Source cooldown, RetryBackoff backoff) {
    this.records = records;
    this.datastore = records.datastore();
    this.cooldown = cooldown;
    this.handles = new Handles(records, backoff);
  }

  @Override
  public boolean detectsStaleness() {
    return false;
  }

  @Override
  public <T> Prefetch<T> prefetch(Supplier<T> read) {
    return Prefetch.start(read);
  }

  @Override
  public void invalidate() {}

  /** Writes the block alone; the callers maintain the handles. */
  @Override
  public Outcome write(BlockDraft draft, Map<String, @Nullable Resource> unused) {
    try {
      if (draft.isDeletion()) {
        datastore.delete(draft.read());
        return new Outcome.Written(null, Set.of());
      }
      Resource stored = datastore.update(draft.resource());
      return new Outcome.Written(new IpamRecords.Stored<>(stored, draft.result()), Set.of());
    } catch (ConflictException | NotFoundException _) {
      return new Outcome.Refused(null, Optional.empty());
    }
  }

  @Override
  public void recheck(Blocks blocks, Collection<IpPrefix> cidrs, long now) {}

  @Override
  public @Nullable CountedHandle counted(@Nullable String handle) {
    return handle == null ? null : new CountedHandle(handles, handle);
  }

  /** Raises the handle's count before each attempt to write the block. */
  @Override
  public List<IpAddress> allocate(
      BlockQueue queue, Requester requester, BlockRequest<List<IpAddress>> request) {
    String id = requester.attributes().handle();
    if (id == null) {
      return queue.perform(request);
    }
    CountedHandle shared = requester.counted();
    HandleCounter counter =
        new HandleCounter(
            shared == null ? new CountedHandle(handles, id) : shared,
            queue.cidr(),
            requester.mostPerHandle());
    try {
      PendingRequest<List<IpAddress>> served = queue.serve(request.countedBy(counter));
      List<IpAddress> allocated = served.answer();
      Resource added = counter.added();
      if (added != null && allocated.isEmpty()) {
        // Counted for an earlier attempt. The block was not written, so it must be for a recount.
        recountQuietly(queue, id);
      } else if (added != null && counter.isTooHigh()) {
        correct(queue, new IpamRecords.Stored<>(added, IpamHandle.of(added)), served.count(id));
      }
      return allocated;
    } catch (RuntimeException e) {
      lowerCount(queue, id, counter, e);
      throw e;
    }
  }

  /** Lowers the count after a failure, unless the block may have been written after all. */
  private void lowerCount(
      BlockQueue queue, String id, HandleCounter counter, RuntimeException failure) {
    Resource added = counter.added();
    if (added == null) {
      return;
    }
    if (failure instanceof CorruptException) {
      // A block that cannot be read cannot be counted.
      revertQuietly(added, queue.cidr(), counter.certain());
    } else if (!(failure instanceof UnavailableException lost && lost.outcomeUnknown())) {
      recountQuietly(queue, id);
    }
  }

  /** A count that stays too high is safe, and the next reader corrects it. */
  private void recountQuietly(BlockQueue queue, String id) {
    try {
      records.handle(id).ifPresent(now -> recount(queue, now));
    } catch (DatastoreException | IpamException _) {
      // The request's own failure matters more.
    }
  }

  /**
   * Reverts the count for addresses that were certainly not allocated, if the handle is unchanged;
   * otherwise the count stays too high.
   */
  private void revertQuietly(Resource added, IpPrefix cidr, int count) {
    IpamHandle handle = IpamHandle.of(added);
    Map<IpPrefix, Integer> counts = new TreeMap<>(handle.counts());
    counts.merge(cidr, -count, Integer::sum);
    counts.values().removeIf(left -> left <= 0);
    try {
      handles.write(added, new IpamHandle(handle.id(), counts, false));
    } catch (DatastoreException _) {
      // The request's own failure matters more.
    }
  }

  /** Reads the handles, writes the block, and then sets the counts to what the block had. */
  @Override
  public BlockReleaser.Outcome release(
      BlockQueue queue, Set<String> ids, BlockRequest<BlockReleaser.Outcome> request) {
    List<IpamRecords.Stored<IpamHandle>> before =
        ids.stream().map(records::handle).flatMap(Optional::stream).toList();
    PendingRequest<BlockReleaser.Outcome> served = queue.serve(request);
    BlockReleaser.Outcome outcome = served.answer();
    for (IpamRecords.Stored<IpamHandle> handle : before) {
      String id = handle.value().id();
      if (outcome.released().isEmpty()) {
        // Released by another process, or by us when no answer came.
        recountQuietly(queue, id);
      } else {
        correct(queue, handle, served.count(id));
      }
    }
    return outcome;
  }

  /** Sets the count to what the block had when it was written after this handle. */
  private void correct(BlockQueue queue, IpamRecords.Stored<IpamHandle> handle, int count) {
    try {
      if (handles.set(handle, queue.cidr(), count)) {
        return;
      }
    } catch (UnavailableException _) {
      // The block is written; the count is corrected below, or by the next reader.
    }
    recountQuietly(queue, handle.value().id());
  }

  @Override
  public Optional<IpamRecords.Stored<IpamHandle>> cachedHandle(String id) {
    return Optional.empty();
  }

  /** Writes the blocks that the handle names concurrently, and then the handle. */
  @Override
  public Released release(
      Blocks blocks, IpamRecords.Stored<IpamHandle> handle, Consumer<List<IpPrefix>> written) {
    String id = handle.value().id();
    Map<IpPrefix, Integer> left = new TreeMap<>(handle.value().counts());
    List<IpPrefix> some = left.keySet().stream().limit(AT_ONCE).toList();
    List<IpAddress> released = new ArrayList<>();
    List<Optional<PendingRequest<List<IpAddress>>>> all =
        Prefetch.all(
            some.stream()
                .<Supplier<Optional<PendingRequest<List<IpAddress>>>>>map(
                    cidr -> () -> releaseFrom(blocks.queue(cidr), id))
                .toList());
    for (int i = 0; i < some.size(); i++) {
      int count = all.get(i).map(served -> served.count(id)).orElse(0);
      if (count == 0) {
        left.remove(some.get(i));
      } else {
        left.put(some.get(i), count);
      }
      all.get(i).ifPresent(served -> released.addAll(served.answer()));
    }
    written.accept(some);
    if (left.isEmpty()) {
      return new Released(released, handles.delete(handle.resource()));
    }
    handles.write(handle.resource(), new IpamHandle(id, left, false));
    return new Released(released, false);
  }

  /** Empty when the block is gone, and with it every write that was meant for it. */
  private static Optional<PendingRequest<List<IpAddress>>> releaseFrom(
      BlockQueue queue, String id) {
    PendingRequest<List<IpAddress>> served = queue.serve(HandleRequests.release(id));
    try {
      served.answer();
      return Optional.of(served);
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NO_SUCH_BLOCK) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public void recount(BlockQueue queue, IpamRecords.Stored<IpamHandle> handle) {
    String id = handle.value().id();
    PendingRequest<Boolean> served = queue.serve(HandleRequests.touch(id));
    try {
      served.answer();
      handles.set(handle, queue.cidr(), served.count(id));
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
      // With the block, every write that was meant for it is gone.
      handles.write(handle.resource(), handle.value().without(queue.cidr()));
    }
  }

  /** Creates the handle before it counts, as an allocation does. */
  @Override
  public void createHandle(BlockQueue queue, String id) {
    try {
      datastore.create(new IpamHandle(id, Map.of(queue.cidr(), 1), false).toResource());
    } catch (ExistsException _) {
      // Another process is using it.
    }
    records.handle(id).ifPresent(created -> recount(queue, created));
  }

  @Override
  public void deleteHandle(IpamRecords.Stored<IpamHandle> handle) {
    handles.delete(handle.resource());
  }

  @Override
  public Optional<Affinities.Claim> claim(
      BlockOwner owner, IpPrefix cidr, Supplier<IpamBlock> fresh) {
    try {
      Resource affinity = pending(owner.keyOf(cidr));
      Optional<IpamRecords.Stored<IpamBlock>> there = records.block(cidr);
      boolean isNew = there.isEmpty();
      if (isNew) {
        if (BlockAffinity.of(affinity).state() != State.PENDING) {
          affinity = datastore.update(BlockAffinity.changed(affinity, State.PENDING));
        }
        IpamBlock created = fresh.get();
        there =
            Optional.of(new IpamRecords.Stored<>(datastore.create(created.toResource()), created));
      }
      IpamRecords.Stored<IpamBlock> block = there.get();
      if (!owner.toString().equals(block.value().affinity())) {
        Affinities.deleteQuietly(datastore, affinity);
        return Optional.of(new Affinities.Claim.Taken(block.value()));
      }
      if (BlockAffinity.of(affinity).state() != State.CONFIRMED) {
        if (!isNew) {
          // Written although unchanged: a concurrent release must fail.
          Resource written = datastore.update(BlockEdit.touched(block, cooldown));
          block = new IpamRecords.Stored<>(written, IpamBlock.of(written));
        }
        affinity = datastore.update(BlockAffinity.changed(affinity, State.CONFIRMED));
      }
      return Optional.of(new Affinities.Claim.Ours(block, affinity, isNew));
    } catch (ConflictException | ExistsException | NotFoundException _) {
      return Optional.empty();
    }
  }

  /** Returns an affinity that is ours to change: concurrent work on it will fail from now on. */
  private Resource pending(ResourceKey.Affinity key) {
    try {
      return datastore.create(BlockAffinity.create(key, State.PENDING));
    } catch (ExistsException _) {
      Resource affinity = datastore.get(key);
      return BlockAffinity.of(affinity).state() == State.CONFIRMED
          ? affinity
          : datastore.update(BlockAffinity.changed(affinity, State.PENDING));
    }
  }

  @Override
  public boolean releaseBlock(Resource affinity, Resource block, Optional<Resource> without) {
    try {
      Resource leaving = datastore.update(BlockAffinity.changed(affinity, State.PENDING_DELETION));
      if (without.isPresent()) {
        datastore.update(without.get());
      } else {
        datastore.delete(block);
      }
      datastore.delete(leaving);
      return true;
    } catch (ConflictException | NotFoundException _) {
      return false;
    }
  }

  /** A process that is claiming the block will find its affinity gone, and start again. */
  @Override
  public void deleteStale(Resource affinity, IpPrefix cidr, Optional<Resource> block) {
    Affinities.deleteQuietly(datastore, affinity);
  }
}
