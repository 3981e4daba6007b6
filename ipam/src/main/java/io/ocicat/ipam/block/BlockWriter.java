package io.ocicat.ipam.block;

import io.ocicat.datastore.Prefetch;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records that belong together: a block with the handles of its addresses, and a block
 * with its owner's affinity. Where the datastore has transactions, they are written in one;
 * otherwise one after the other, in an order that leaves them valid after a crash at any point.
 * Thread-safe.
 */
public sealed interface BlockWriter permits TransactionalWriter, StepwiseWriter {

  static BlockWriter of(IpamRecords records, Cooldown.Source cooldown, RetryBackoff backoff) {
    return records.datastore().hasTransactions()
        ? new TransactionalWriter(records, cooldown)
        : new StepwiseWriter(records, cooldown, backoff);
  }

  /** The result of writing a block; in both cases with the block as it is now, null for unknown. */
  sealed interface Outcome {
    IpamRecords.@Nullable Stored<IpamBlock> block();

    /** The block was written, and these handles were deleted. */
    record Written(IpamRecords.@Nullable Stored<IpamBlock> block, Set<String> deletedHandles)
        implements Outcome {}

    /**
     * The block, or something else that the write depends on, has changed.
     *
     * @param current all that it depends on, as it is now; empty when unknown
     */
    record Refused(
        IpamRecords.@Nullable Stored<IpamBlock> block, Optional<Map<ResourceKey, Resource>> current)
        implements Outcome {}
  }

  /**
   * The addresses of a handle that were released.
   *
   * @param isGone whether the handle is known to have no other addresses, and is deleted
   */
  record Released(List<IpAddress> addresses, boolean isGone) {}

  /**
   * Whether a write fails when anything cached that it depends on has changed, so that nothing has
   * to be read before it.
   */
  boolean detectsStaleness();

  /** Starts a read that will be needed, unless it is mostly answered from a cache. */
  <T> Prefetch<T> prefetch(Supplier<T> read);

  /** Clears the caches. */
  void invalidate();

  /**
   * Writes a block.
   *
   * @param handles the handles as far as they were read; updated when the write is refused
   */
  Outcome write(BlockDraft draft, Map<String, @Nullable Resource> handles);

  /** Finds out which full blocks have changed, if that is possible without reading each. */
  void recheck(Blocks blocks, Collection<IpPrefix> cidrs, long now);

  /** Returns what a request for both families shares about its handle; null when nothing. */
  @Nullable CountedHandle counted(@Nullable String handle);

  /** Allocates addresses of a block to a handle. */
  List<IpAddress> allocate(
      BlockQueue queue, Requester requester, BlockRequest<List<IpAddress>> request);

  /** Releases addresses of a block that belong to these handles. */
  BlockReleaser.Outcome release(
      BlockQueue queue, Set<String> handles, BlockRequest<BlockReleaser.Outcome> request);

  /** Returns a cached handle from which addresses can be released, even if it is outdated. */
  Optional<IpamRecords.Stored<IpamHandle>> cachedHandle(String id);

  /**
   * Releases addresses of a handle, of one or more blocks that it names.
   *
   * @param written receives the blocks as soon as they are written
   */
  Released release(
      Blocks blocks, IpamRecords.Stored<IpamHandle> handle, Consumer<List<IpPrefix>> written);

  /**
   * Sets a handle's count for a block to what the block says. The block is written as well, so that
   * a process that has updated the count and not yet written the block counts again.
   */
  void recount(BlockQueue queue, IpamRecords.Stored<IpamHandle> handle);

  /** Creates a missing handle, with the count that the block says. */
  void createHandle(BlockQueue queue, String id);

  /** Deletes a handle that names no block, if it is unchanged. */
  void deleteHandle(IpamRecords.Stored<IpamHandle> handle);

  /**
   * Claims a block, or finds that it is the owner's already; empty when another process changed it
   * in the meantime.
   *
   * @param fresh the block to create if none exists
   */
  Optional<Affinities.Claim> claim(BlockOwner owner, IpPrefix cidr, Supplier<IpamBlock> fresh);

  /**
   * Releases a block and its affinity; false when another process changed one of them in the
   * meantime.
   *
   * @param without the block without its owner; empty to delete it
   */
  boolean releaseBlock(Resource affinity, Resource block, Optional<Resource> without);

  /** Deletes an affinity that contradicts its block, as both were read. */
  void deleteStale(Resource affinity, IpPrefix cidr, Optional<Resource> block);
}
