package io.ocicat.ipam.block;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.BlockAffinity.State;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a block with its handles, or with its affinity, in one transaction. It succeeds only if
 * everything it depends on is unchanged, so all of that may come from a cache.
 */
final class TransactionalWriter implements BlockWriter {
  /** The number of conditions that fit into one transaction. */
  private static final int MAX_CONDITIONS = 100;

  private final IpamRecords records;
  private final Datastore datastore;
  private final Cooldown.Source cooldown;
  private final RecentHandles recent = new RecentHandles();

  TransactionalWriter(IpamRecords records, Cooldown.Source cooldown) {
    this.records = records;
    this.datastore = records.datastore();
    this.cooldown = cooldown;
  }

  @Override
  public boolean detectsStaleness() {
    return true;
  }

  @Override
  public <T> Prefetch<T> prefetch(Supplier<T> read) {
    return Prefetch.whenNeeded(read);
  }

  @Override
  public void invalidate() {
    recent.clear();
  }

  @Override
  public Outcome write(BlockDraft draft, Map<String, @Nullable Resource> handles) {
    lookUp(draft, handles);
    List<Write> writes = draft.writes(handles);
    return switch (datastore.commit(writes)) {
      case WriteOutcome.Done done -> {
        Resource stored = done.stored().get(draft.read().key());
        yield new Outcome.Written(
            stored == null ? null : new IpamRecords.Stored<>(stored, draft.result()),
            updateRecent(done.stored(), writes));
      }
      case WriteOutcome.Refused(Map<ResourceKey, Resource> current) -> {
        for (String id : draft.handles()) {
          handles.put(id, current.get(new ResourceKey.Handle(id)));
        }
        yield new Outcome.Refused(
            IpamRecords.toBlock(current.get(draft.read().key())).orElse(null),
            Optional.of(current));
      }
    };
  }

  /**
   * A handle that is assigned an address mostly does not exist yet, so it is assumed absent until
   * the transaction says otherwise; a handle that releases one exists.
   */
  private void lookUp(BlockDraft draft, Map<String, @Nullable Resource> handles) {
    for (String id : draft.handles()) {
      if (!handles.containsKey(id)) {
        Resource handle = recent.find(id);
        if (handle == null && draft.count(id) == 0) {
          handle = records.find(new ResourceKey.Handle(id)).orElse(null);
        }
        handles.put(id, handle);
      }
    }
  }

  private Set<String> updateRecent(Map<ResourceKey, Resource> stored, List<Write> writes) {
    Set<String> deleted = new HashSet<>();
    for (Write write : writes) {
      if (write.key() instanceof ResourceKey.Handle(String id)) {
        if (write instanceof Write.Delete) {
          deleted.add(id);
          recent.update(write.key(), null);
        } else if (stored.containsKey(write.key())) {
          recent.update(write.key(), stored.get(write.key()));
        }
      }
    }
    return deleted;
  }

  /** Checks a hundred blocks at a time, by their revisions alone. */
  @Override
  public void recheck(Blocks blocks, Collection<IpPrefix> cidrs, long now) {
    List<Map.Entry<IpPrefix, String>> outdated =
        List.copyOf(blocks.full().outdated(cidrs, now).entrySet());
    for (int i = 0; i < outdated.size(); i += MAX_CONDITIONS) {
      int end = Math.min(outdated.size(), i + MAX_CONDITIONS);
      recheckBatch(blocks, outdated.subList(i, end), now);
    }
  }

  private void recheckBatch(Blocks blocks, List<Map.Entry<IpPrefix, String>> outdated, long now) {
    List<Write> conditions = new ArrayList<>();
    outdated.forEach(
        entry ->
            conditions.add(
                new Write.Expect(new ResourceKey.Block(entry.getKey()), entry.getValue())));
    switch (datastore.commit(conditions)) {
      case WriteOutcome.Done _ ->
          outdated.forEach(entry -> blocks.full().confirm(entry.getKey(), entry.getValue(), now));
      case WriteOutcome.Refused(var current) ->
          outdated.forEach(
              entry -> {
                IpPrefix cidr = entry.getKey();
                Resource block = current.get(new ResourceKey.Block(cidr));
                blocks.queue(cidr).update(IpamRecords.toBlock(block).orElse(null));
              });
    }
  }

  @Override
  public @Nullable CountedHandle counted(@Nullable String handle) {
    return null;
  }

  @Override
  public List<IpAddress> allocate(
      BlockQueue queue, Requester requester, BlockRequest<List<IpAddress>> request) {
    return queue.perform(request);
  }

  @Override
  public BlockReleaser.Outcome release(
      BlockQueue queue, Set<String> handles, BlockRequest<BlockReleaser.Outcome> request) {
    return queue.perform(request);
  }

  @Override
  public Optional<IpamRecords.Stored<IpamHandle>> cachedHandle(String id) {
    return IpamRecords.toHandle(recent.find(id));
  }

  /** Releases the addresses of the first block that the handle names. */
  @Override
  public Released release(
      Blocks blocks, IpamRecords.Stored<IpamHandle> handle, Consumer<List<IpPrefix>> written) {
    String id = handle.value().id();
    IpPrefix cidr = handle.value().counts().keySet().iterator().next();
    PendingRequest<List<IpAddress>> served = blocks.queue(cidr).serve(HandleRequests.release(id));
    List<IpAddress> released;
    boolean isGone;
    try {
      released = served.answer();
      isGone = served.hasDeleted(id);
    } catch (IpamException e) {
      requireNoBlock(e);
      removeCount(cidr, handle);
      released = List.of();
      isGone = false;
    }
    written.accept(List.of(cidr));
    return new Released(released, isGone);
  }

  private static void requireNoBlock(IpamException e) {
    if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
      throw e;
    }
  }

  @Override
  public void recount(BlockQueue queue, IpamRecords.Stored<IpamHandle> handle) {
    try {
      queue.perform(HandleRequests.touch(handle.value().id()));
    } catch (IpamException e) {
      requireNoBlock(e);
      removeCount(queue.cidr(), handle);
    }
  }

  @Override
  public void createHandle(BlockQueue queue, String id) {
    queue.perform(HandleRequests.touch(id));
  }

  /** Removes the count of a block that does not exist. */
  private void removeCount(IpPrefix cidr, IpamRecords.Stored<IpamHandle> handle) {
    IpamHandle left = handle.value().without(cidr);
    Write write =
        left.counts().isEmpty()
            ? new Write.Delete(handle.resource())
            : new Write.Update(left.applyTo(handle.resource()));
    WriteOutcome outcome =
        datastore.commit(List.of(new Write.Expect(new ResourceKey.Block(cidr), ""), write));
    ResourceKey key = handle.resource().key();
    recent.update(key, outcome instanceof WriteOutcome.Done done ? done.stored().get(key) : null);
  }

  @Override
  public void deleteHandle(IpamRecords.Stored<IpamHandle> handle) {
    recent.update(handle.resource().key(), null);
    try {
      datastore.commit(List.of(new Write.Delete(handle.resource())));
    } catch (UnavailableException e) {
      if (!e.outcomeUnknown()) {
        throw e;
      }
    }
  }

  @Override
  public Optional<Affinities.Claim> claim(
      BlockOwner owner, IpPrefix cidr, Supplier<IpamBlock> fresh) {
    ResourceKey.Affinity key = owner.keyOf(cidr);
    IpamBlock created = fresh.get();
    Resource block = created.toResource();
    WriteOutcome outcome =
        datastore.commit(
            List.of(
                new Write.Create(block),
                new Write.Create(BlockAffinity.create(key, State.CONFIRMED))));
    if (outcome instanceof WriteOutcome.Refused(var current)) {
      Optional<IpamRecords.Stored<IpamBlock>> there = IpamRecords.toBlock(current.get(block.key()));
      Resource affinity = current.get(key);
      if (there.isPresent()) {
        return reconcile(owner, there.get(), affinity);
      }
      if (affinity == null || current.containsKey(block.key())) {
        return Optional.empty();
      }
      outcome =
          datastore.commit(
              List.of(
                  new Write.Create(block),
                  new Write.Update(BlockAffinity.changed(affinity, State.CONFIRMED))));
    }
    return outcome instanceof WriteOutcome.Done done
        ? Optional.of(
            new Affinities.Claim.Ours(
                new IpamRecords.Stored<>(stored(done, block.key()), created),
                stored(done, key),
                true))
        : Optional.empty();
  }

  /** The block exists: makes the affinity agree with it. */
  private Optional<Affinities.Claim> reconcile(
      BlockOwner owner, IpamRecords.Stored<IpamBlock> block, @Nullable Resource affinity) {
    if (!owner.toString().equals(block.value().affinity())) {
      return isDeleted(affinity, block)
          ? Optional.of(new Affinities.Claim.Taken(block.value()))
          : Optional.empty();
    }
    if (affinity != null && BlockAffinity.of(affinity).state() == State.CONFIRMED) {
      return Optional.of(new Affinities.Claim.Ours(block, affinity, false));
    }
    ResourceKey.Affinity key = owner.keyOf(block.value().cidr());
    WriteOutcome outcome =
        datastore.commit(
            List.of(
                // Written although unchanged: a concurrent release must fail.
                new Write.Update(BlockEdit.touched(block, cooldown)),
                affinity == null
                    ? new Write.Create(BlockAffinity.create(key, State.CONFIRMED))
                    : new Write.Update(BlockAffinity.changed(affinity, State.CONFIRMED))));
    if (!(outcome instanceof WriteOutcome.Done done)) {
      return Optional.empty();
    }
    Resource written = stored(done, block.resource().key());
    return Optional.of(
        new Affinities.Claim.Ours(
            new IpamRecords.Stored<>(written, IpamBlock.of(written)), stored(done, key), false));
  }

  /** Deletes an affinity for another owner's block; false when one of them has changed. */
  private boolean isDeleted(@Nullable Resource affinity, IpamRecords.Stored<IpamBlock> block) {
    return affinity == null
        || datastore.commit(
                List.of(
                    new Write.Expect(block.resource().key(), block.resource().revision()),
                    new Write.Delete(affinity)))
            instanceof WriteOutcome.Done;
  }

  private static Resource stored(WriteOutcome.Done done, ResourceKey key) {
    Resource resource = done.stored().get(key);
    if (resource == null) {
      throw new IllegalStateException(key.describe() + " was written and not returned");
    }
    return resource;
  }

  @Override
  public boolean releaseBlock(Resource affinity, Resource block, Optional<Resource> without) {
    Write write = without.<Write>map(Write.Update::new).orElseGet(() -> new Write.Delete(block));
    return datastore.commit(List.of(write, new Write.Delete(affinity)))
        instanceof WriteOutcome.Done;
  }

  @Override
  public void deleteStale(Resource affinity, IpPrefix cidr, Optional<Resource> block) {
    String revision = block.map(Resource::revision).orElse("");
    datastore.commit(
        List.of(
            new Write.Expect(new ResourceKey.Block(cidr), revision), new Write.Delete(affinity)));
  }
}
