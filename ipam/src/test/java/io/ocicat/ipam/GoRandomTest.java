package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ipam.block.GoRandom;
import java.math.BigInteger;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class GoRandomTest {
  private static final int LENGTH = GoRandom.LENGTH;
  private static final int TAP = GoRandom.TAP;
  private static final long STEPS = 7_800_000_000_000L;

  @Test
  void producesGosNumbers() {
    assertThat(new GoRandom(1).next()).isEqualTo(5577006791947779410L);
  }

  @Test
  void staysBelowTheLimit() {
    GoRandom random = new GoRandom(7);
    BigInteger limit = BigInteger.ONE.shiftLeft(74).add(BigInteger.TEN);
    for (int i = 0; i < 1000; i++) {
      assertThat(random.below(limit)).isBetween(BigInteger.ZERO, limit);
      assertThat(random.below(BigInteger.ONE)).isZero();
    }
  }

  /**
   * The table is the generator's own state 7.8e12 steps after a start from 1. Each number is the
   * sum of those 607 and 273 before, so the n-th is a combination of the first 607, whose
   * coefficients are those of x^n modulo x^607 - x^334 - 1: found by squaring.
   */
  @Test
  void theTableIsWhatItsRuleSays() {
    long[] start = start();
    // z[k] in the order the generator produces them: the oldest first.
    long[] z = new long[LENGTH];
    for (int k = -LENGTH; k < 0; k++) {
      z[k + LENGTH] = start[Math.floorMod(LENGTH - TAP - 1 - k, LENGTH)];
    }
    long[] power = power(STEPS);
    long[] table = new long[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      long sum = 0;
      for (int j = 0; j < LENGTH; j++) {
        sum += power[j] * z[j];
      }
      table[(int) Math.floorMod(LENGTH - TAP - 1 - (STEPS - LENGTH + i), (long) LENGTH)] = sum;
      power = timesX(power);
    }
    assertThat(GoRandom.table()).isEqualTo(table);
  }

  private static long[] start() {
    long[] state = new long[LENGTH];
    int x = 1;
    for (int i = 0; i < 20; i++) {
      x = GoRandom.lehmer(x);
    }
    for (int i = 0; i < LENGTH; i++) {
      for (int shift = 20; shift >= 0; shift -= 10) {
        x = GoRandom.lehmer(x);
        state[i] ^= (long) x << shift;
      }
    }
    return state;
  }

  private static long[] power(long exponent) {
    long[] result = new long[LENGTH];
    result[0] = 1;
    long[] square = new long[LENGTH];
    square[1] = 1;
    for (long left = exponent; left > 0; left >>= 1) {
      if ((left & 1) == 1) {
        result = times(result, square);
      }
      square = times(square, square);
    }
    return result;
  }

  private static long[] times(long[] a, long[] b) {
    long[] product = new long[2 * LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      for (int j = 0; j < LENGTH; j++) {
        product[i + j] += a[i] * b[j];
      }
    }
    for (int i = 2 * LENGTH - 1; i >= LENGTH; i--) {
      product[i - LENGTH] += product[i];
      product[i - TAP] += product[i];
    }
    return Arrays.copyOf(product, LENGTH);
  }

  private static long[] timesX(long[] a) {
    long[] moved = new long[LENGTH];
    System.arraycopy(a, 0, moved, 1, LENGTH - 1);
    moved[0] += a[LENGTH - 1];
    moved[LENGTH - TAP] += a[LENGTH - 1];
    return moved;
  }
}
