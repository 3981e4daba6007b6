package io.ocicat.ipam.check;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Something that does not fit together.
 *
 * @param subject what it is about, for a person
 * @param explanation what is wrong, how that comes about, and what it does
 * @param isSafe whether repairing it can harm nobody, whatever happens at the same time
 * @param block the block concerned, if one is
 * @param handle the handle concerned, if one is
 * @param owner of the affinity concerned, if one is
 * @param address concerned, if one is
 * @param info who has the address, if it is assigned
 */
public record IpamFinding(
    Type type,
    String subject,
    String explanation,
    boolean isSafe,
    @Nullable IpPrefix block,
    @Nullable String handle,
    @Nullable BlockOwner owner,
    @Nullable IpAddress address,
    @Nullable AddressInfo info) {

  /** Closed set of things that can be wrong. */
  public enum Type {
    /** A handle for which no block has an address. */
    ORPHAN_HANDLE,
    /** A handle that says another number than the block. */
    WRONG_COUNT,
    /** A block has addresses for a handle that does not exist, or does not name the block. */
    MISSING_HANDLE,
    /** A block is in no pool. */
    BLOCK_OUTSIDE_POOLS,
    /** Blocks of different sizes have the same addresses. */
    OVERLAPPING_BLOCKS,
    /** An affinity for a block that does not exist. */
    AFFINITY_WITHOUT_BLOCK,
    /** An affinity for a block that belongs to somebody else, or nobody. */
    STALE_AFFINITY,
    /** A block belongs to somebody who has no confirmed affinity for it. */
    BLOCK_WITHOUT_AFFINITY,
    /** A block's queue of free addresses lacks some, or has some that are in use. */
    BROKEN_QUEUE,
    /** An address is assigned and nobody uses it. */
    LEAKED_ADDRESS,
    /** An address is used, is in a pool, and is not assigned. */
    UNASSIGNED_ADDRESS,
    /** An address is used and is in no enabled pool. */
    FOREIGN_ADDRESS,
    /** A record that cannot be read. */
    UNREADABLE
  }
}
