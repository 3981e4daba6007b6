package io.ocicat.daemon.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * The last calls, and apart from them the last that failed, which would be gone soon among the many
 * that go well. Their texts are composed when somebody looks. Thread-safe.
 */
public final class CallHistory {
  private static final int MOST_CALLS = 256;
  private static final int MOST_FAILURES = 64;

  private final Deque<Supplier<FinishedCall>> calls = new ArrayDeque<>();
  private final Deque<Supplier<FinishedCall>> failures = new ArrayDeque<>();

  public synchronized void add(boolean failed, Supplier<FinishedCall> call) {
    keep(calls, call, MOST_CALLS);
    if (failed) {
      keep(failures, call, MOST_FAILURES);
    }
  }

  private static void keep(
      Deque<Supplier<FinishedCall>> some, Supplier<FinishedCall> call, int most) {
    if (some.size() == most) {
      some.removeFirst();
    }
    some.addLast(call);
  }

  /** The oldest first. */
  public List<FinishedCall> calls() {
    return compose(calls);
  }

  /** Those that failed, the oldest first. */
  public List<FinishedCall> failures() {
    return compose(failures);
  }

  private List<FinishedCall> compose(Deque<Supplier<FinishedCall>> some) {
    List<Supplier<FinishedCall>> copy;
    synchronized (this) {
      copy = new ArrayList<>(some);
    }
    return copy.stream().map(Supplier::get).toList();
  }
}
