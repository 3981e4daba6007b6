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
 * Tells calls that were killed from those that are under way, by two looks into the journal: what
 * nobody was at work on at the first and is still there at the second was killed, unless it only
 * just begins or ends. For one thread.
 */
final class InterruptedCalls {
  private final Predicate<CallRecord> isAtWork;
  private Map<String, Seen> seen = Map.of();

  /**
   * @param sinceNanos since 1970, when it was first seen with nobody at work on it
   */
  private record Seen(CallRecord record, long sinceNanos) {}

  /**
   * @param isAtWork whether somebody is at work on the attachment that a record tells of
   */
  InterruptedCalls(Predicate<CallRecord> isAtWork) {
    this.isAtWork = isAtWork;
  }

  /**
   * Takes another look.
   *
   * @param journal all that it has
   * @return the names of what the last look had as well
   */
  List<String> seenTwice(List<Kept> journal) {
    Map<String, Seen> present = new HashMap<>();
    List<String> twice = new ArrayList<>();
    for (Kept kept : journal) {
      Seen before = seen.get(kept.name());
      if (before != null && before.record().isSameAs(kept.record())) {
        present.put(kept.name(), before);
        twice.add(kept.name());
      } else if (!isAtWork.test(kept.record())) {
        present.put(kept.name(), new Seen(kept.record(), nowNanos()));
      }
    }
    seen = present;
    return twice;
  }

  /** When nobody was at work on it any more, in nanoseconds since 1970, or now. */
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
