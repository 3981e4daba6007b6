package io.ocicat.datastore.etcd;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.DatastoreException;
import java.time.Duration;
import java.util.List;

/**
 * Checks periodically that a silent watch has missed nothing. Nothing has happened to a range
 * between two revisions when no key of it has changed since the first and the number of keys is the
 * same; this does not detect keys that were created and deleted again in between.
 */
final class WatchProgressProbe {
  private static final Duration FIRST = Duration.ofMillis(300);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final EtcdCalls calls;
  private final KeyRange keys;
  private Duration interval = FIRST;
  private Deadline next = Deadline.in(FIRST);

  WatchProgressProbe(EtcdCalls calls, KeyRange keys) {
    this.calls = calls;
    this.keys = keys;
  }

  /** Restarts the interval after a response. */
  void restart() {
    interval = FIRST;
    next = Deadline.in(interval);
  }

  /** The time until the next check. */
  Duration left() {
    return next.remaining();
  }

  /** Returns the revision up to which nothing has happened since {@code known}. */
  long probe(long known, Deadline deadline) {
    interval = interval.compareTo(LONGEST) < 0 ? interval.multipliedBy(2) : LONGEST;
    next = Deadline.in(interval);
    EtcdRequest.Range changed =
        new EtcdRequest.Range(keys, 1, 0, known + 1, EtcdRequest.Range.Part.KEYS);
    EtcdRequest.Range before =
        new EtcdRequest.Range(keys, 0, known, 0, EtcdRequest.Range.Part.COUNT);
    try {
      EtcdResponse.Txn answer =
          calls.read(
              Rpc.TXN,
              new EtcdRequest.Txn(List.of(), List.of(), List.of(changed, before)),
              "revision " + known,
              deadline);
      EtcdResponse.Range now = answer.ranges().get(0);
      boolean nothing = now.entries().isEmpty() && now.count() == answer.ranges().get(1).count();
      return nothing ? Math.max(known, answer.revision()) : known;
    } catch (DatastoreException _) {
      // A future or compacted revision, or no connection: the stream will report that.
      return known;
    }
  }
}
