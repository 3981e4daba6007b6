package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.LongSupplier;

/**
 * Iterates over all blocks of a pool once, starting at a block derived from the host's name and
 * wrapping around. Different hosts start at different blocks and so rarely compete; all programs on
 * one host start at the same block.
 */
public final class BlockWalk implements Iterable<IpPrefix> {
  private final IpPrefix pool;
  private final int length;
  private final IpPrefix start;

  /**
   * Creates a walk.
   *
   * @param anySeed for blocks of a single address, where every host starts at random
   */
  public BlockWalk(IpPool pool, String host, LongSupplier anySeed) {
    this.pool = pool.cidr();
    this.length = pool.blockSize();
    int bits = pool.cidr().address().bitLength();
    long seed = length == bits ? anySeed.getAsLong() : fnv1(host);
    BigInteger blocks = BigInteger.ONE.shiftLeft(Math.max(0, length - this.pool.length()));
    BigInteger index = new GoRandom(seed).below(blocks);
    this.start = IpPrefix.of(plus(this.pool.first(), index.shiftLeft(bits - length)), length);
  }

  /** FNV-1, 32 bits: multiply, then xor. */
  public static long fnv1(String text) {
    int hash = 0x811c9dc5;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = hash * 16777619 ^ (b & 0xff);
    }
    return Integer.toUnsignedLong(hash);
  }

  private static IpAddress plus(IpAddress base, BigInteger offset) {
    byte[] bytes = base.toByteArray();
    byte[] sum = new BigInteger(1, bytes).add(offset).toByteArray();
    byte[] result = new byte[bytes.length];
    int count = Math.min(sum.length, result.length);
    System.arraycopy(sum, sum.length - count, result, result.length - count, count);
    return IpAddress.ofBytes(result);
  }

  @Override
  public Iterator<IpPrefix> iterator() {
    return new Iterator<>() {
      private IpPrefix next = start;
      private boolean moved;

      @Override
      public boolean hasNext() {
        return !moved || !next.equals(start);
      }

      @Override
      public IpPrefix next() {
        if (!hasNext()) {
          throw new NoSuchElementException("every block of " + pool + " was visited");
        }
        IpPrefix current = next;
        IpAddress last = current.last();
        IpAddress following = last.equals(pool.last()) ? pool.first() : last.next();
        next = IpPrefix.of(following, length);
        moved = true;
        return current;
      }
    };
  }
}
