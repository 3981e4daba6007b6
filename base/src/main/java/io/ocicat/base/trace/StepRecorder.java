package io.ocicat.base.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records the steps of some work, each before its parts. Texts are composed when somebody reads
 * them: recording costs a few hundred nanoseconds a step. Of very long work only the first steps
 * are kept.
 *
 * <p>Written by the thread that does the work; read by any once that is over.
 *
 * @param <K> the kinds of steps, out of a small fixed set
 */
public final class StepRecorder<K> {
  private static final int MAX_STEPS = 512;

  /**
   * A part of the work that took time.
   *
   * @param detail what exactly, for people
   * @param depth 0 for the parts of the work, 1 for the parts of those, …
   * @param startNanos by {@link System#nanoTime}
   * @param failed whether it ended in an exception
   */
  public record Recorded<K>(
      K kind, Supplier<String> detail, int depth, long startNanos, long endNanos, boolean failed) {}

  private final List<Recorded<K>> steps = new ArrayList<>();
  private int depth;

  /**
   * Records something that has already happened.
   *
   * @return whether it is kept
   */
  public boolean add(K kind, Supplier<String> detail, long startNanos, long endNanos) {
    return insert(steps.size(), kind, detail, startNanos, endNanos, false);
  }

  /** Does something and records how long it took; what happens in it is a part of it. */
  public <T> T timed(K kind, Supplier<String> detail, Supplier<T> work) {
    long start = System.nanoTime();
    int place = steps.size();
    depth++;
    boolean done = false;
    try {
      T result = work.get();
      done = true;
      return result;
    } finally {
      depth--;
      // Before its parts, which were recorded first.
      insert(place, kind, detail, start, System.nanoTime(), !done);
    }
  }

  private boolean insert(
      int place, K kind, Supplier<String> detail, long start, long end, boolean failed) {
    if (steps.size() == MAX_STEPS) {
      return false;
    }
    steps.add(place, new Recorded<>(kind, detail, depth, start, end, failed));
    return true;
  }

  /** In their order, each before its parts. */
  public List<Recorded<K>> steps() {
    return Collections.unmodifiableList(steps);
  }
}
