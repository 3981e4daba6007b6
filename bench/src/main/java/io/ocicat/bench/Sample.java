package io.ocicat.bench;

import java.util.Arrays;
import java.util.Locale;

/** The times of one contender, in nanoseconds. */
final class Sample {
  private final String name;
  private long[] times = new long[64];
  private int count;

  Sample(String name) {
    this.name = name;
  }

  void add(long nanos) {
    if (count == times.length) {
      times = Arrays.copyOf(times, count * 2);
    }
    times[count++] = nanos;
  }

  /** Adds the other's times from its {@code from}th, counted from one, to its {@code to}th. */
  void addAll(Sample other, int from, int to) {
    for (int i = from - 1; i < Math.min(to, other.count); i++) {
      add(other.times[i]);
    }
  }

  /** Forgets all of them. */
  void clear() {
    count = 0;
  }

  /** The smallest time that a share of all, such as 0.5 for the median, does not exceed. */
  long percentile(double share) {
    long[] sorted = Arrays.copyOf(times, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1L, Math.round(share * (sorted.length - 1)))];
  }

  /** One aligned line: p50, p90, p99 in microseconds, and p50 as a multiple of the other's. */
  String line(Sample base) {
    return String.format(
        Locale.ROOT,
        "%-28s n=%-5d p50 %8.1f µs   p90 %8.1f µs   p99 %8.1f µs   %.2f × %s",
        name,
        count,
        percentile(0.5) / 1e3,
        percentile(0.9) / 1e3,
        percentile(0.99) / 1e3,
        (double) percentile(0.5) / base.percentile(0.5),
        base.name);
  }

  /** How many one caller makes in a second, to be printed after the line. */
  String rate() {
    long sum = Arrays.stream(times, 0, count).sum();
    return String.format(Locale.ROOT, "   %7.0f a second", count / (sum / 1e9));
  }
}
