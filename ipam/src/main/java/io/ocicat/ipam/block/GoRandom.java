package io.ocicat.ipam.block;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Go's {@code math/rand} sequence for a seed, so that a host starts at the same block in every
 * program. An additive lagged Fibonacci generator: each number is the sum of those 607 and 273
 * steps before, modulo 2^64. The first 607 come from a Lehmer generator (48271 modulo 2^31 - 1),
 * combined with a table: the state of the same generator, with the Lehmer's numbers combined more
 * tightly, seeded with 1 and 7.8e12 steps later. The test recomputes the table.
 */
public final class GoRandom {
  public static final int LENGTH = 607;
  public static final int TAP = 273;
  private static final int MODULUS = Integer.MAX_VALUE;
  private static final int INSTEAD_OF_ZERO = 89482311;
  private static final int WARM_UP = 20;

  private final long[] state = new long[LENGTH];
  private int tap;
  private int feed = LENGTH - TAP;

  /** Loaded when the first walk begins, and never changed. */
  private static final class Table {
    static final long[] WORDS = table();
  }

  public GoRandom(long seed) {
    int x = (int) Math.floorMod(seed, (long) MODULUS);
    x = x == 0 ? INSTEAD_OF_ZERO : x;
    for (int i = 0; i < WARM_UP; i++) {
      x = lehmer(x);
    }
    for (int i = 0; i < LENGTH; i++) {
      long word = 0;
      for (int shift = 40; shift >= 0; shift -= 20) {
        x = lehmer(x);
        word ^= (long) x << shift;
      }
      state[i] = word ^ Table.WORDS[i];
    }
  }

  public static int lehmer(int x) {
    return (int) (48271L * x % MODULUS);
  }

  public static long[] table() {
    try (InputStream stream =
            Objects.requireNonNull(GoRandom.class.getResourceAsStream("go-random.table"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.US_ASCII))) {
      return lines.lines().mapToLong(line -> Long.parseUnsignedLong(line, 16)).toArray();
    } catch (IOException e) {
      throw new UncheckedIOException("the table of random numbers cannot be read", e);
    }
  }

  /** Returns the next 63 bits. */
  public long next() {
    tap = tap == 0 ? LENGTH - 1 : tap - 1;
    feed = feed == 0 ? LENGTH - 1 : feed - 1;
    state[feed] += state[tap];
    return state[feed] & Long.MAX_VALUE;
  }

  private BigInteger word() {
    long low = next() >>> 31;
    long high = next() >>> 31;
    return new BigInteger(Long.toUnsignedString(low | high << 32));
  }

  /** Returns a number from 0 to {@code limit - 1}, drawn as Go's {@code big.Int.Rand} does. */
  public BigInteger below(BigInteger limit) {
    int bits = limit.bitLength();
    int words = (bits + 63) / 64;
    BigInteger mask = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
    while (true) {
      BigInteger drawn = BigInteger.ZERO;
      for (int i = 0; i < words; i++) {
        drawn = drawn.or(word().shiftLeft(64 * i));
      }
      drawn = drawn.and(mask);
      if (drawn.compareTo(limit) < 0) {
        return drawn;
      }
    }
  }
}
