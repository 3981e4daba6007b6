package io.ocicat.ipam.check;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import org.jspecify.annotations.Nullable;

/**
 * An inconsistency in IPAM's records.
 *
 * @param subject what it is about, for a person
 * @param explanation what is wrong, how it arises, and what it causes
 * @param isSafe whether repairing it is harmless whatever happens concurrently
 * @param block the block concerned, if any
 * @param handle the handle concerned, if any
 * @param owner the owner of the affinity concerned, if any
 * @param address the address concerned, if any
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

  /** The types of inconsistencies. */
  public enum Type {
    /** A handle for which no block has an address. */
    ORPHAN_HANDLE,
    /** A handle's count differs from the block. */
    WRONG_COUNT,
    /** A block has addresses for a handle that does not exist, or does not name the block. */
    MISSING_HANDLE,
    /** A block that is in no pool. */
    BLOCK_OUTSIDE_POOLS,
    /** Blocks of different sizes overlap. */
    OVERLAPPING_BLOCKS,
    /** An affinity for a block that does not exist. */
    AFFINITY_WITHOUT_BLOCK,
    /** An affinity for a block that has another owner, or none. */
    STALE_AFFINITY,
    /** A block whose owner has no confirmed affinity for it. */
    BLOCK_WITHOUT_AFFINITY,
    /** A block's queue of free addresses is incomplete, or lists addresses that are in use. */
    BROKEN_QUEUE,
    /** An address that is assigned but not in use. */
    LEAKED_ADDRESS,
    /** An address that is in use and in a pool, but not assigned. */
    UNASSIGNED_ADDRESS,
    /** An address that is in use but in no enabled pool. */
    FOREIGN_ADDRESS,
    /** A record that cannot be read. */
    UNREADABLE
  }
}
