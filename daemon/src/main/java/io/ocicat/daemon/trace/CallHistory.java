package io.ocicat.daemon.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

  /**
   * All of them, the newest first. Each is composed when it is asked for: who looks at one after
   * the other needs memory for one.
   */
  public synchronized List<Supplier<FinishedCall>> newestFirst() {
    List<Supplier<FinishedCall>> all = new ArrayList<>(calls.reversed());
    Set<Supplier<FinishedCall>> among = Collections.newSetFromMap(new IdentityHashMap<>());
    among.addAll(calls);
    failures.reversed().stream().filter(failure -> !among.contains(failure)).forEach(all::add);
    return all;
  }

  /** How many that failed are remembered. */
  public synchronized int failures() {
    return failures.size();
  }
}
