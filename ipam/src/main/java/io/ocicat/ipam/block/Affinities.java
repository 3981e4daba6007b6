package io.ocicat.ipam.block;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.BlockAffinity.State;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Claims and releases blocks for their owners. Ownership is recorded twice: the block names its
 * owner, and the owner has an affinity. The block is authoritative; hosts race to create it.
 *
 * <p>With transactions, both records are created and deleted together. Without, as Calico does it:
 * a pending affinity, the block, the affinity confirmed; and back: the affinity pending deletion,
 * the block deleted or its owner removed, the affinity deleted. Whoever finds such work half done
 * through its own affinity finishes it; there are never two confirmed owners.
 */
public final class Affinities {
  private static final int ATTEMPTS = 100;

  private final IpamRecords records;
  private final Datastore datastore;
  private final Blocks blocks;
  private final ClockAndRandom sources;
  private final RetryBackoff backoff;

  public Affinities(
      IpamRecords records, Blocks blocks, ClockAndRandom sources, RetryBackoff backoff) {
    this.records = records;
    this.datastore = records.datastore();
    this.blocks = blocks;
    this.sources = sources;
    this.backoff = backoff;
  }

  /** The result of claiming a block. */
  public sealed interface Claim {
    /** The block is ours, with a confirmed affinity. */
    record Ours(IpamRecords.Stored<IpamBlock> block, Resource affinity, boolean isNew)
        implements Claim {}

    /** The block has another owner, or has none and has addresses in use. */
    record Taken(IpamBlock block) implements Claim {}
  }

  /** Claims the block or finds that it is ours already; completes an interrupted claim. */
  public Claim claim(BlockOwner owner, IpPrefix cidr, @Nullable HostReserved reserved) {
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<Claim> claim;
      try {
        claim =
            records.hasTransactions()
                ? claimInTransaction(owner, cidr, reserved)
                : claimInSteps(owner, cidr, reserved);
      } catch (UnavailableException e) {
        if (!e.outcomeUnknown()) {
          throw e;
        }
        // The next read shows whether it was written; claiming our own block again is not an error.
        claim = Optional.empty();
      }
      if (claim.isPresent()) {
        return claim.get();
      }
      backoff.afterConflict(i);
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "block %s was claimed by others each of %d times: try again".formatted(cidr, ATTEMPTS));
  }

  private IpamBlock fresh(BlockOwner owner, IpPrefix cidr, @Nullable HostReserved reserved) {
    String now = sources.clock().instant().truncatedTo(ChronoUnit.SECONDS).toString();
    return BlockEdit.fresh(cidr, owner, now, sources.unixNanos(), reserved);
  }

  private Optional<Claim> claimInTransaction(
      BlockOwner owner, IpPrefix cidr, @Nullable HostReserved reserved) {
    ResourceKey.Affinity key = owner.keyOf(cidr);
    IpamBlock fresh = fresh(owner, cidr, reserved);
    Resource block = fresh.toResource();
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
            ours(
                new IpamRecords.Stored<>(stored(done, block.key()), fresh),
                stored(done, key),
                true))
        : Optional.empty();
  }

  private Claim.Ours ours(IpamRecords.Stored<IpamBlock> block, Resource affinity, boolean isNew) {
    blocks.queue(block.value().cidr()).update(block);
    return new Claim.Ours(block, affinity, isNew);
  }

  private static Resource stored(WriteOutcome.Done done, ResourceKey key) {
    Resource resource = done.stored().get(key);
    if (resource == null) {
      throw new IllegalStateException(key.describe() + " was written and not returned");
    }
    return resource;
  }

  /**
   * The block exists: makes the affinity agree with it, in one transaction with the check of the
   * block.
   */
  private Optional<Claim> reconcile(
      BlockOwner owner, IpamRecords.Stored<IpamBlock> block, @Nullable Resource affinity) {
    boolean ours = owner.toString().equals(block.value().affinity());
    if (ours && affinity != null && BlockAffinity.of(affinity).state() == State.CONFIRMED) {
      return Optional.of(ours(block, affinity, false));
    }
    List<Write> writes = new ArrayList<>();
    ResourceKey.Affinity key = owner.keyOf(block.value().cidr());
    if (ours) {
      // Written although unchanged: a concurrent release must fail.
      BlockEdit edit = blocks.edit(block.value());
      edit.touch();
      writes.add(new Write.Update(edit.result().applyTo(block.resource())));
      writes.add(
          affinity == null
              ? new Write.Create(BlockAffinity.create(key, State.CONFIRMED))
              : new Write.Update(BlockAffinity.changed(affinity, State.CONFIRMED)));
    } else if (affinity != null) {
      writes.add(new Write.Expect(block.resource().key(), block.resource().revision()));
      writes.add(new Write.Delete(affinity));
    }
    if (!(datastore.commit(writes) instanceof WriteOutcome.Done done)) {
      return Optional.empty();
    }
    if (!ours) {
      return Optional.of(new Claim.Taken(block.value()));
    }
    Resource written = stored(done, block.resource().key());
    return Optional.of(
        ours(new IpamRecords.Stored<>(written, IpamBlock.of(written)), stored(done, key), false));
  }

  private Optional<Claim> claimInSteps(
      BlockOwner owner, IpPrefix cidr, @Nullable HostReserved reserved) {
    try {
      Resource affinity = pending(owner.keyOf(cidr));
      Optional<IpamRecords.Stored<IpamBlock>> there = records.block(cidr);
      boolean isNew = there.isEmpty();
      if (isNew) {
        if (BlockAffinity.of(affinity).state() != State.PENDING) {
          affinity = datastore.update(BlockAffinity.changed(affinity, State.PENDING));
        }
        there = Optional.of(createBlock(fresh(owner, cidr, reserved)));
      }
      IpamRecords.Stored<IpamBlock> block = there.get();
      if (!owner.toString().equals(block.value().affinity())) {
        deleteQuietly(affinity);
        return Optional.of(new Claim.Taken(block.value()));
      }
      if (BlockAffinity.of(affinity).state() != State.CONFIRMED) {
        if (!isNew) {
          // Written although unchanged: a concurrent release must fail.
          BlockEdit edit = blocks.edit(block.value());
          edit.touch();
          Resource written = datastore.update(edit.result().applyTo(block.resource()));
          block = new IpamRecords.Stored<>(written, IpamBlock.of(written));
        }
        affinity = datastore.update(BlockAffinity.changed(affinity, State.CONFIRMED));
      }
      return Optional.of(ours(block, affinity, isNew));
    } catch (ConflictException | ExistsException | NotFoundException _) {
      return Optional.empty();
    }
  }

  private IpamRecords.Stored<IpamBlock> createBlock(IpamBlock fresh) {
    Resource created = datastore.create(fresh.toResource());
    return new IpamRecords.Stored<>(created, fresh);
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

  private void deleteQuietly(Resource affinity) {
    try {
      datastore.delete(affinity);
    } catch (DatastoreException _) {
      // It stays pending, which has no effect, and the next process to see it removes it.
    }
  }

  /** Deletes an affinity that contradicts its block, if it still does. */
  public void removeStale(BlockOwner owner, IpPrefix cidr) {
    Optional<Resource> affinity = records.find(owner.keyOf(cidr));
    Optional<IpamRecords.Stored<IpamBlock>> block = records.block(cidr);
    if (affinity.isEmpty()
        || block.filter(found -> owner.toString().equals(found.value().affinity())).isPresent()) {
      return;
    }
    if (records.hasTransactions()) {
      String revision = block.map(found -> found.resource().revision()).orElse("");
      datastore.commit(
          List.of(
              new Write.Expect(new ResourceKey.Block(cidr), revision),
              new Write.Delete(affinity.get())));
    } else {
      // A process that is claiming the block will find its affinity gone, and start again.
      deleteQuietly(affinity.get());
    }
  }

  /**
   * Releases a block.
   *
   * @param requireEmpty whether to refuse when addresses of it are in use
   * @param sequenceNumber releases only if the block still has this one; null for any
   * @throws IpamException with NO_SUCH_BLOCK, CLAIMED_BY_OTHER, BLOCK_NOT_EMPTY or
   *     BAD_SEQUENCE_NUMBER when it is not released
   */
  public void release(
      BlockOwner owner, IpPrefix cidr, boolean requireEmpty, @Nullable Long sequenceNumber) {
    boolean lost = false;
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        if (tryRelease(owner, cidr, requireEmpty, sequenceNumber)) {
          blocks.queue(cidr).update(null);
          return;
        }
      } catch (UnavailableException e) {
        if (!e.outcomeUnknown()) {
          throw e;
        }
        lost = true;
      } catch (IpamException e) {
        if (lost && e.reason() == IpamException.Reason.NO_SUCH_BLOCK) {
          return;
        }
        throw e;
      }
      if (sequenceNumber != null && !lost) {
        throw changed(cidr, sequenceNumber);
      }
      backoff.afterConflict(i);
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "block %s was changed by others each of %d times: try again".formatted(cidr, ATTEMPTS));
  }

  private static IpamException changed(IpPrefix cidr, long sequenceNumber) {
    return new IpamException(
        IpamException.Reason.BAD_SEQUENCE_NUMBER,
        "block %s is not released: it has changed since sequence number %d"
            .formatted(cidr, sequenceNumber));
  }

  private boolean tryRelease(
      BlockOwner owner, IpPrefix cidr, boolean requireEmpty, @Nullable Long sequenceNumber) {
    Resource affinity =
        records
            .find(owner.keyOf(cidr))
            .orElseThrow(() -> missing("%s has no affinity for block %s", owner, cidr));
    Optional<IpamRecords.Stored<IpamBlock>> found = records.block(cidr);
    if (found.isEmpty()) {
      return deleteOrphan(affinity, owner, cidr);
    }
    IpamRecords.Stored<IpamBlock> block = found.get();
    if (sequenceNumber != null && sequenceNumber != block.value().sequenceNumber()) {
      throw changed(cidr, sequenceNumber);
    }
    String named = block.value().affinity();
    if (named != null && !named.equals(owner.toString())) {
      deleteQuietly(affinity);
      throw new IpamException(
          IpamException.Reason.CLAIMED_BY_OTHER,
          "block %s belongs to %s, not to %s".formatted(cidr, named, owner));
    }
    BlockEdit edit = blocks.edit(block.value());
    if (requireEmpty && !edit.isEmpty()) {
      throw new IpamException(
          IpamException.Reason.BLOCK_NOT_EMPTY,
          "block %s of %s has addresses in use: release them first".formatted(cidr, owner));
    }
    edit.disown();
    Resource after = edit.result().applyTo(block.resource());
    return records.hasTransactions()
        ? releaseInTransaction(affinity, block.resource(), edit.isEmpty(), after)
        : releaseInSteps(affinity, block.resource(), edit.isEmpty(), after);
  }

  /**
   * Deletes an affinity without a block: nothing is lost, but as for any other affinity the owner's
   * cache is updated.
   */
  private boolean deleteOrphan(Resource affinity, BlockOwner owner, IpPrefix cidr) {
    deleteQuietly(affinity);
    throw missing("block %2$s of %1$s does not exist", owner, cidr);
  }

  private static IpamException missing(String format, BlockOwner owner, IpPrefix cidr) {
    return new IpamException(IpamException.Reason.NO_SUCH_BLOCK, format.formatted(owner, cidr));
  }

  private boolean releaseInTransaction(
      Resource affinity, Resource block, boolean isEmpty, Resource after) {
    Write write = isEmpty ? new Write.Delete(block) : new Write.Update(after);
    return datastore.commit(List.of(write, new Write.Delete(affinity)))
        instanceof WriteOutcome.Done;
  }

  private boolean releaseInSteps(
      Resource affinity, Resource block, boolean isEmpty, Resource after) {
    try {
      Resource leaving = datastore.update(BlockAffinity.changed(affinity, State.PENDING_DELETION));
      if (isEmpty) {
        datastore.delete(block);
      } else {
        datastore.update(after);
      }
      datastore.delete(leaving);
      return true;
    } catch (ConflictException | NotFoundException _) {
      return false;
    }
  }
}
