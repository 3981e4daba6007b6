package io.ocicat.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The figures of an agent in a cluster of one size, times in nanoseconds.
 *
 * @param heap in bytes
 */
record AgentSize(
    int nodes, long programmed, long moveMedian, long move99, long restart, long heap) {
  private static final int WIDTH = 50;

  /** Several sizes as a table, then each figure as bars: linear growth makes a straight edge. */
  static String table(List<AgentSize> sizes) {
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "%n%8s %14s %12s %12s %12s %10s%n",
            "nodes",
            "programmed ms",
            "move p50 ms",
            "move p99 ms",
            "restart ms",
            "heap MiB"));
    for (AgentSize size : sizes) {
      out.append(
          String.format(
              Locale.ROOT,
              "%8d %14.0f %12.1f %12.1f %12.0f %10d%n",
              size.nodes,
              size.programmed / 1e6,
              size.moveMedian / 1e6,
              size.move99 / 1e6,
              size.restart / 1e6,
              size.heap >> 20));
    }
    plot(out, sizes, "programmed", size -> size.programmed / 1e6);
    plot(out, sizes, "restart", size -> size.restart / 1e6);
    plot(out, sizes, "one block moves, p99", size -> size.move99 / 1e6);
    return out.toString();
  }

  /** One bar for each size, and for a thousand nodes what one thousand costs. */
  private static void plot(
      StringBuilder out, List<AgentSize> sizes, String what, ToDoubleFunction<AgentSize> millis) {
    double most = sizes.stream().mapToDouble(millis).max().orElse(1);
    out.append(String.format(Locale.ROOT, "%n%s%n", what));
    for (AgentSize size : sizes) {
      double value = millis.applyAsDouble(size);
      out.append(
          String.format(
              Locale.ROOT,
              "%8d %s %.1f ms, %.1f for each 1,000 nodes%n",
              size.nodes,
              "█".repeat((int) Math.max(1, Math.round(WIDTH * value / most))),
              value,
              value * 1000 / size.nodes));
    }
  }
}
