package io.ocicat.daemon;

import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Tells killed calls from calls in progress by scanning the journal twice: a record that nobody was
 * working on at the first scan and that is still there at the second belongs to a killed call,
 * unless that call is just starting or ending. For one thread.
 */
final class InterruptedCalls {
  private final Predicate<CallRecord> isBusy;
  private Map<String, Seen> seen = Map.of();

  /**
   * @param sinceNanos since 1970, when it was first seen with nobody working on it
   */
  private record Seen(CallRecord record, long sinceNanos) {}

  /**
   * @param isBusy whether a process is working on the attachment of a record
   */
  InterruptedCalls(Predicate<CallRecord> isBusy) {
    this.isBusy = isBusy;
  }

  /**
   * Scans again.
   *
   * @param journal all its records
   * @return the names of those that the previous scan found as well
   */
  List<String> seenTwice(List<Kept> journal) {
    Map<String, Seen> present = new HashMap<>();
    List<String> twice = new ArrayList<>();
    for (Kept kept : journal) {
      Seen before = seen.get(kept.name());
      if (before != null && before.record().isSameAs(kept.record())) {
        present.put(kept.name(), before);
        twice.add(kept.name());
      } else if (!isBusy.test(kept.record())) {
        present.put(kept.name(), new Seen(kept.record(), nowNanos()));
      }
    }
    seen = present;
    return twice;
  }

  /** When the last process stopped working on it, in nanoseconds since 1970, or now. */
  long since(Kept kept) {
    Seen before = seen.get(kept.name());
    return before != null && before.record().isSameAs(kept.record())
        ? before.sinceNanos()
        : nowNanos();
  }

  static long nowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }
}
