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
 * that go well. Their texts are composed when somebody looks, from what the call itself had in its
 * hands; so they are bounded by what that takes as well as by their number. Thread-safe.
 */
public final class CallHistory {
  private static final int MOST_CALLS = 256;
  private static final int MOST_FAILURES = 64;

  /** Some twenty kilobytes each, which is what an ADD of bridge takes. */
  private static final long MOST_BYTES = 6 << 20;

  private static final long MOST_BYTES_OF_FAILURES = 2 << 20;

  private record Kept(long bytes, Supplier<FinishedCall> call) {}

  /** In their order; the newest stays however much it takes. */
  private static final class Last {
    private final Deque<Kept> calls = new ArrayDeque<>();
    private final int most;
    private final long mostBytes;
    private long bytes;

    Last(int most, long mostBytes) {
      this.most = most;
      this.mostBytes = mostBytes;
    }

    void add(Kept call) {
      calls.addLast(call);
      bytes += call.bytes();
      while (calls.size() > most || (bytes > mostBytes && calls.size() > 1)) {
        bytes -= calls.removeFirst().bytes();
      }
    }
  }

  private final Last calls = new Last(MOST_CALLS, MOST_BYTES);
  private final Last failures = new Last(MOST_FAILURES, MOST_BYTES_OF_FAILURES);

  /**
   * Remembers a call.
   *
   * @param bytes about how much memory it keeps from being free
   */
  public synchronized void add(boolean failed, long bytes, Supplier<FinishedCall> call) {
    Kept kept = new Kept(bytes, call);
    calls.add(kept);
    if (failed) {
      failures.add(kept);
    }
  }

  /**
   * All of them, the newest first. Each is composed on demand: going through them one by one needs
   * memory for one.
   */
  public synchronized List<Supplier<FinishedCall>> newestFirst() {
    List<Kept> all = new ArrayList<>(calls.calls.reversed());
    Set<Kept> among = Collections.newSetFromMap(new IdentityHashMap<>());
    among.addAll(all);
    failures.calls.reversed().stream()
        .filter(failure -> !among.contains(failure))
        .forEach(all::add);
    return all.stream().map(Kept::call).toList();
  }

  /** How many failures are kept. */
  public synchronized int failures() {
    return failures.calls.size();
  }
}
