package io.ocicat.testkit;

import java.util.Random;

/**
 * Checks a property against many random inputs, each round with a seed of its own that is reported
 * when the round fails. {@code -Docicat.seed=…} uses that seed for the first round, so the failure
 * recurs at once. Without it every run starts from a fresh seed. {@code -Docicat.longer=100} gives
 * every property a hundred times as many rounds, for a fuzzing run by hand.
 */
public final class Seeded {
  private static final String PROPERTY = "ocicat.seed";
  private static final String LONGER = "ocicat.longer";

  private Seeded() {}

  /** One round of a property check; everything random in it must come from {@code random}. */
  @FunctionalInterface
  public interface Law {
    void check(Random random) throws Exception;
  }

  public static void forAll(int rounds, Law law) {
    long first = Long.getLong(PROPERTY, System.nanoTime());
    int all = rounds * Integer.getInteger(LONGER, 1);
    for (int round = 0; round < all; round++) {
      long seed = first + round;
      try {
        law.check(random(seed));
      } catch (Throwable failure) {
        throw new AssertionError(
            "round %d fails (again with -D%s=%d): %s".formatted(round, PROPERTY, seed, failure),
            failure);
      }
    }
  }

  /**
   * Neighbouring seeds of java.util.Random start alike, so they are scattered first (murmur3's
   * finalizer).
   */
  private static Random random(long seed) {
    long scattered = seed;
    scattered = (scattered ^ (scattered >>> 33)) * 0xff51afd7ed558ccdL;
    scattered = (scattered ^ (scattered >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return new Random(scattered ^ (scattered >>> 33));
  }
}
