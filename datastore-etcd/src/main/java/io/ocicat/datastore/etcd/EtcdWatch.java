package io.ocicat.datastore.etcd;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.ocicat.base.Backoff;
import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A watch that survives its streams. A new stream begins right after the last delivered event, so
 * that it neither misses nor repeats any.
 *
 * <p>etcd reports the progress of an idle watch by itself only every ten minutes, and its answer to
 * a progress request may, before 3.4.25 and 3.5.8, overtake events. So after a silence the keys
 * themselves are checked ({@link WatchProgressProbe}), which raises the revision that batches
 * report. It does not move the point where a new stream begins, unless the history in between was
 * compacted: events of a key that was created and deleted again could still be on their way.
 */
final class EtcdWatch implements KeyValueWatch {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final EtcdCalls calls;
  private final String prefix;
  private final KeyRange keys;
  private final WatchProgressProbe probe;

  /** All events up to here were delivered. */
  private long delivered;

  /** At least {@link #delivered}; there are no other events up to here. */
  private long known;

  /** The events of a revision that may continue in the next response. */
  private final List<KeyValueEvent> held = new ArrayList<>();

  private boolean answered;
  private boolean loggedInAgain;
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  private @Nullable DatastoreException failure;
  private @Nullable CompactedException end;
  private volatile @Nullable WatchStream stream;
  private volatile boolean closed;

  EtcdWatch(EtcdCalls calls, String prefix, long from) {
    this.calls = calls;
    this.prefix = prefix;
    this.keys = KeyRange.prefix(prefix);
    this.delivered = from - 1;
    this.known = from - 1;
    this.probe = new WatchProgressProbe(calls, keys);
  }

  @Override
  public Batch next(Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    while (true) {
      checkOpen();
      WatchStream open = stream;
      if (open == null) {
        open = begin(deadline);
      }
      WatchStream.Signal signal = poll(open, deadline.remaining(probe.left()));
      switch (signal) {
        case null -> {
          if (deadline.hasPassed()) {
            return empty();
          }
          if (answered && probe.left().isZero()) {
            known = probe.probe(known, deadline);
          }
        }
        case WatchStream.Signal.Answered(EtcdResponse.Watch answer) -> {
          List<KeyValueEvent> events = accept(answer, open);
          if (!events.isEmpty()) {
            return new Batch(known, events);
          }
        }
        case WatchStream.Signal.Ended(Status status) -> end(open, status, deadline);
        case WatchStream.Signal.Woken() -> {}
      }
    }
  }

  private Batch empty() {
    DatastoreException why = failure;
    if (!answered && why != null) {
      throw why;
    }
    return new Batch(known, List.of());
  }

  private WatchStream begin(Deadline deadline) {
    while (true) {
      EtcdConnection connection = calls.members().connection(deadline);
      try {
        WatchStream begun =
            WatchStream.open(
                connection,
                calls.login().headers(connection, loginLimit(deadline)),
                new EtcdRequest.Watch(keys, delivered + 1));
        answered = false;
        held.clear();
        probe.restart();
        stream = begun;
        if (closed) {
          begun.cancel();
        }
        return begun;
      } catch (StatusRuntimeException e) {
        EtcdFailure why = new EtcdFailure(connection.endpoint(), e.getStatus());
        if (why.remedy() != EtcdFailure.Remedy.RETRY_ELSEWHERE || deadline.hasPassed()) {
          throw why.exception(subject());
        }
        calls.members().drop(connection);
        backOff(deadline);
      }
    }
  }

  /** A caller that polls with a zero timeout must be able to log in, too. */
  private static Duration loginLimit(Deadline deadline) {
    Duration left = deadline.remaining();
    return left.compareTo(LONGEST_PAUSE) < 0 ? LONGEST_PAUSE : left;
  }

  private static WatchStream.@Nullable Signal poll(WatchStream stream, Duration time) {
    try {
      return stream.poll(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while watching etcd", e);
    }
  }

  /** Returns the events that a response allows to deliver. */
  private List<KeyValueEvent> accept(EtcdResponse.Watch answer, WatchStream from) {
    if (answer.canceled()) {
      canceled(answer, from);
      return List.of();
    }
    answered = true;
    loggedInAgain = false;
    failure = null;
    backoff.reset();
    probe.restart();
    if (answer.created()) {
      return List.of();
    }
    held.addAll(answer.events());
    List<KeyValueEvent> events = answer.fragment() ? completeRevisions() : List.copyOf(held);
    held.subList(0, events.size()).clear();
    if (!events.isEmpty()) {
      delivered = events.getLast().revision();
    } else if (!answer.fragment()) {
      // Sent only for a watch that has caught up.
      delivered = Math.max(delivered, answer.revision());
    }
    known = Math.max(known, delivered);
    return events;
  }

  /** Those before the last revision, which may continue in the next fragment. */
  private List<KeyValueEvent> completeRevisions() {
    if (held.isEmpty()) {
      return List.of();
    }
    long last = held.getLast().revision();
    return held.stream().filter(event -> event.revision() < last).toList();
  }

  private void canceled(EtcdResponse.Watch answer, WatchStream from) {
    stop(from);
    if (answer.compacted() > 0) {
      if (known > delivered && known + 1 >= answer.compacted()) {
        delivered = known;
        return;
      }
      end =
          new CompactedException(
              "etcd no longer knows the changes of %s from revision %d, only from %d: list again"
                  .formatted(prefix, delivered + 1, answer.compacted()));
      throw end;
    }
    // For an expired token, too, etcd only reports that permission is denied.
    if (!loggedInAgain && calls.login().discard(from.headers())) {
      loggedInAgain = true;
      return;
    }
    Status status =
        answer.reason().contains("permission denied") || answer.reason().contains("auth")
            ? Status.PERMISSION_DENIED
            : Status.UNAVAILABLE;
    throw new EtcdFailure(from.connection().endpoint(), status.withDescription(answer.reason()))
        .exception(subject());
  }

  private void end(WatchStream ended, Status status, Deadline deadline) {
    stop(ended);
    checkOpen();
    calls.members().checkOpen();
    EtcdFailure why = new EtcdFailure(ended.connection().endpoint(), status);
    if (why.remedy() == EtcdFailure.Remedy.LOG_IN) {
      if (loggedInAgain || !calls.login().discard(ended.headers())) {
        throw why.exception(subject());
      }
      loggedInAgain = true;
      return;
    }
    failure = why.exception(subject());
    if (!status.isOk() && why.remedy() == EtcdFailure.Remedy.NONE) {
      throw failure;
    }
    calls.members().drop(ended.connection());
    if (deadline.hasPassed()) {
      throw failure;
    }
    backOff(deadline);
  }

  private void backOff(Deadline deadline) {
    EtcdEndpoints.pause(backoff.next(), deadline);
  }

  private void stop(WatchStream over) {
    over.cancel();
    stream = null;
  }

  private String subject() {
    return "the watch of " + prefix;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the watch of " + prefix + " is closed");
    }
    CompactedException over = end;
    if (over != null) {
      throw over;
    }
  }

  @Override
  public void close() {
    closed = true;
    WatchStream open = stream;
    if (open != null) {
      open.cancel();
      open.wake();
    }
  }
}
