package io.ocicat.ipam.model;

import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How much of a pool is in use.
 *
 * @param name of the pool; null for blocks that are in none
 * @param cidr of the pool; null for blocks that are in none
 * @param blocks those that exist, in the order of their addresses
 */
public record PoolUse(@Nullable String name, @Nullable IpPrefix cidr, List<BlockUse> blocks) {
  public PoolUse {
    blocks = List.copyOf(blocks);
  }

  /**
   * How much of a block is in use.
   *
   * @param owner null for nobody
   * @param capacity how many addresses it has
   * @param available how many are free
   * @param reserved how many of those are never given unasked
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

  /** Of the pool, or of the blocks that are in none. */
  public BigInteger capacity() {
    return cidr == null
        ? BigInteger.valueOf(blocks.stream().mapToLong(BlockUse::capacity).sum())
        : cidr.size();
  }

  public long inUse() {
    return blocks.stream().mapToLong(BlockUse::inUse).sum();
  }
}
