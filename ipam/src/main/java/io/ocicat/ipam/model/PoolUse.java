package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The utilisation of a pool.
 *
 * @param name of the pool; null for blocks outside any pool
 * @param cidr of the pool; null for blocks outside any pool
 * @param blocks the existing blocks, in address order
 */
public record PoolUse(@Nullable String name, @Nullable IpPrefix cidr, List<BlockUse> blocks) {
  public PoolUse {
    blocks = List.copyOf(blocks);
  }

  /**
   * The utilisation of a block.
   *
   * @param owner null for none
   * @param capacity how many addresses it has
   * @param available how many are free
   * @param reserved how many of those are never assigned automatically
   * @param borrowed how many are used by hosts that do not own it
   */
  public record BlockUse(
      IpPrefix cidr,
      @Nullable BlockOwner owner,
      int capacity,
      int available,
      int reserved,
      int borrowed) {
    public int inUse() {
      return capacity - available;
    }
  }

  public Optional<String> pool() {
    return Optional.ofNullable(name);
  }

  /** The capacity of the pool, or of the blocks outside any pool. */
  public BigInteger capacity() {
    return cidr == null
        ? BigInteger.valueOf(blocks.stream().mapToLong(BlockUse::capacity).sum())
        : cidr.size();
  }

  public long inUse() {
    return blocks.stream().mapToLong(BlockUse::inUse).sum();
  }
}
