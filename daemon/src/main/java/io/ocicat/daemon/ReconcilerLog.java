package io.ocicat.daemon;

import io.ocicat.daemon.DeferredDels.Group;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Logs what {@link Reconciler} does, each message only once, or once a minute. For one thread. */
final class ReconcilerLog {
  private final DaemonEvents events;
  private final Map<Object, String> noted = new HashMap<>();
  private final Map<String, String> refusals = new HashMap<>();

  ReconcilerLog(DaemonEvents events) {
    this.events = events;
  }

  /** Messages may be repeated from now on, except refusals. */
  void startAgain() {
    noted.clear();
  }

  /** Forgets the refusals of all other records. */
  void forgetAllBut(Set<String> names) {
    refusals.keySet().retainAll(names);
  }

  void noteOnce(Object about, String sentence) {
    if (!sentence.equals(noted.put(about, sentence))) {
      events.note(sentence);
    }
  }

  void removedLost(Kept kept) {
    events.note(
        "removed %s of %s: its network namespace is gone and no DEL came"
            .formatted(kept.record().plugin(), describe(kept.record())));
  }

  void refused(Kept kept, String because) {
    if (!because.equals(refusals.put(kept.name(), because))) {
      events.note(
          "what is left of %s of %s stays for now: %s"
              .formatted(kept.record().plugin(), describe(kept.record()), because));
    }
  }

  void failed(Kept kept, UndoReason reason, String why) {
    noteOnce(
        kept.name(),
        "%s: DEL of %s for %s failed, will retry: %s"
            .formatted(words(reason), kept.record().plugin(), describe(kept.record()), why));
  }

  /** The log of DELs that are retried. */
  DeferredDels.Log of(String what) {
    return new DeferredDels.Log() {
      @Override
      public void failed(Group group, int count, String why) {
        if (!why.equals(noted.put(group, why))) {
          events.note(
              "%s: DEL of %s on network %s failed, will retry (%d pending): %s"
                  .formatted(what, group.plugin(), group.network(), count, why));
        }
      }

      @Override
      public void refused(Kept kept, String because) {
        ReconcilerLog.this.refused(kept, because);
      }
    };
  }

  private static String words(UndoReason reason) {
    return switch (reason) {
      case EARLIER_BOOT -> "the machine was started again";
      case NAMESPACE_GONE -> "its namespace is gone";
      case KILLED_ADD, KILLED_DEL -> "a killed call";
      case DEFERRED_DEL -> "a deferred DEL";
      case GC -> "it is not in use";
      case RENAMED_NETWORK -> "its interface was deleted";
    };
  }

  private static String describe(CallRecord record) {
    return record.key().map(Object::toString).orElse("an unknown attachment");
  }
}
