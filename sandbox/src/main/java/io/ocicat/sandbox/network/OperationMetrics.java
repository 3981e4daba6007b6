package io.ocicat.sandbox.network;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Counts, times and counts failures of pod network operations, under kubelet's metric names.
 * Thread-safe.
 */
public final class OperationMetrics {
  private static final String PREFIX = "kubelet_network_plugin_operations_";
  private static final double[] BUCKETS = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};

  /** The measured operations. */
  public enum Operation {
    SET_UP_POD,
    TEAR_DOWN_POD,
    GET_POD_NETWORK_STATUS;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final class Counts {
    private final LongAdder total = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder[] buckets = new LongAdder[BUCKETS.length];

    Counts() {
      Arrays.setAll(buckets, _ -> new LongAdder());
    }
  }

  private final Map<Operation, Counts> counts = new EnumMap<>(Operation.class);

  OperationMetrics() {
    for (Operation operation : Operation.values()) {
      counts.put(operation, new Counts());
    }
  }

  /** Measures the work, whether it succeeds or fails. */
  <T> T count(Operation operation, Supplier<T> work) {
    Counts of = of(operation);
    long start = System.nanoTime();
    boolean done = false;
    try {
      T result = work.get();
      done = true;
      return result;
    } finally {
      long nanos = System.nanoTime() - start;
      of.total.increment();
      of.nanos.add(nanos);
      if (!done) {
        of.errors.increment();
      }
      for (int i = 0; i < BUCKETS.length; i++) {
        if (nanos <= BUCKETS[i] * 1e9) {
          of.buckets[i].increment();
          break;
        }
      }
    }
  }

  private Counts of(Operation operation) {
    Counts of = counts.get(operation);
    if (of == null) {
      throw new IllegalStateException("no metric counts " + operation);
    }
    return of;
  }

  public long total(Operation operation) {
    return of(operation).total.sum();
  }

  public long errors(Operation operation) {
    return of(operation).errors.sum();
  }

  /** In the text format of Prometheus. */
  public String text() {
    StringBuilder text = new StringBuilder();
    head(text, "total", "counter", "Network operations.");
    counts.forEach((operation, of) -> line(text, "total", operation, "", of.total.sum()));
    head(text, "errors_total", "counter", "Network operations that failed.");
    counts.forEach((operation, of) -> line(text, "errors_total", operation, "", of.errors.sum()));
    head(text, "duration_seconds", "histogram", "How long network operations took.");
    counts.forEach((operation, of) -> histogram(text, operation, of));
    return text.toString();
  }

  private static void histogram(StringBuilder text, Operation operation, Counts of) {
    long sum = 0;
    for (int i = 0; i < BUCKETS.length; i++) {
      sum += of.buckets[i].sum();
      line(text, "duration_seconds_bucket", operation, ",le=\"%s\"".formatted(le(BUCKETS[i])), sum);
    }
    long total = of.total.sum();
    line(text, "duration_seconds_bucket", operation, ",le=\"+Inf\"", total);
    text.append(
        String.format(
            Locale.ROOT,
            "%sduration_seconds_sum{operation_type=\"%s\"} %.9f%n",
            PREFIX,
            operation.label(),
            of.nanos.sum() / 1e9));
    line(text, "duration_seconds_count", operation, "", total);
  }

  private static String le(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  private static void head(StringBuilder text, String name, String type, String help) {
    text.append("# HELP ").append(PREFIX).append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(PREFIX).append(name).append(' ').append(type).append('\n');
  }

  private static void line(
      StringBuilder text, String name, Operation operation, String more, long value) {
    text.append(PREFIX)
        .append(name)
        .append("{operation_type=\"")
        .append(operation.label())
        .append('"')
        .append(more)
        .append("} ")
        .append(value)
        .append('\n');
  }
}
