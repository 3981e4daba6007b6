package io.ocicat.ipam.block;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Claims and releases blocks for their owners. Ownership is recorded twice: the block names its
 * owner, and the owner has an affinity. The block is authoritative; hosts race to create it.
 *
 * <p>With transactions, both records are created and deleted together. Without, as Calico does it:
 * a pending affinity, the block, the affinity confirmed; and back: the affinity pending deletion,
 * the block deleted or its owner removed, the affinity deleted. A process that finds such work half
 * done through its own affinity finishes it; there are never two confirmed owners.
 */
public final class Affinities {
  private static final int ATTEMPTS = 100;

  private final IpamRecords records;
  private final Blocks blocks;
  private final BlockWriter writer;
  private final ClockAndRandom sources;
  private final RetryBackoff backoff;

  public Affinities(
      IpamRecords records,
      Blocks blocks,
      BlockWriter writer,
      ClockAndRandom sources,
      RetryBackoff backoff) {
    this.records = records;
    this.blocks = blocks;
    this.writer = writer;
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
        claim = writer.claim(owner, cidr, () -> fresh(owner, cidr, reserved));
      } catch (UnavailableException e) {
        if (!e.outcomeUnknown()) {
          throw e;
        }
        // The next read shows whether it was written; claiming our own block again is not an error.
        claim = Optional.empty();
      }
      if (claim.isPresent()) {
        if (claim.get() instanceof Claim.Ours ours) {
          blocks.queue(cidr).update(ours.block());
        }
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

  static void deleteQuietly(Datastore datastore, Resource affinity) {
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
    writer.deleteStale(affinity.get(), cidr, block.map(IpamRecords.Stored::resource));
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
      deleteQuietly(records.datastore(), affinity);
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
    return writer.releaseBlock(
        affinity,
        block.resource(),
        edit.isEmpty() ? Optional.empty() : Optional.of(edit.result().applyTo(block.resource())));
  }

  /**
   * Deletes an affinity without a block: nothing is lost, but as for any other affinity the owner's
   * cache is updated.
   */
  private boolean deleteOrphan(Resource affinity, BlockOwner owner, IpPrefix cidr) {
    deleteQuietly(records.datastore(), affinity);
    throw missing("block %2$s of %1$s does not exist", owner, cidr);
  }

  private static IpamException missing(String format, BlockOwner owner, IpPrefix cidr) {
    return new IpamException(IpamException.Reason.NO_SUCH_BLOCK, format.formatted(owner, cidr));
  }
}
