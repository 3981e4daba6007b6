package io.ocicat.daemon;

import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.server.Repair;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.State;
import io.ocicat.netlink.linux.RangeLock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Finishes what calls left behind: those that were killed, those that were promised to be finished,
 * and attachments whose container went without anybody saying so. Works through records only, under
 * each attachment's lock, and by nothing but DEL.
 */
final class Upkeep {
  private static final Duration SHORT = Duration.ofMillis(20);

  private final State state;
  private final CallRunner runner;
  private final Events events;
  private Set<String> seenWithoutNamespace = new HashSet<>();

  Upkeep(State state, CallRunner runner, Events events) {
    this.state = state;
    this.runner = runner;
    this.events = events;
  }

  /** Before the first call is served: what killed calls left, and what is from before a restart. */
  void recover() {
    int killed = finish(state.journal(), "a call that was killed", Repair.KILLED_CALL);
    int restarted = 0;
    for (Kept kept : state.attachments().list()) {
      if (!kept.record().boot().equals(state.boot())
          && undo(kept, state.attachments(), "the machine was started again")) {
        events.repaired(Repair.EARLIER_BOOT);
        restarted++;
      }
    }
    removeBroken(state.attachments());
    if (killed + restarted > 0) {
      events.note(
          "recovered: %d killed calls undone, %d attachments of the machine's last start removed"
              .formatted(killed, restarted));
    }
    drainSpool();
  }

  /** Tries again what DEL could not do at once. */
  void drainSpool() {
    finish(state.spool(), "a DEL that was put off", Repair.SPOOLED_DEL);
  }

  int spooled() {
    return state.spool().names().size();
  }

  private int finish(RecordFolder folder, String what, Repair kind) {
    int finished = 0;
    for (Kept kept : folder.list()) {
      if (undo(kept, folder, what)) {
        events.repaired(kind);
        finished++;
      }
    }
    removeBroken(folder);
    return finished;
  }

  /**
   * Removes attachments whose namespace is gone. Nobody asked for that, so only what was found gone
   * at the last look as well; a look is a minute or so after the other.
   */
  void removeLost() {
    Set<String> without = new HashSet<>();
    for (Kept kept : state.attachments().list()) {
      if (!isLost(kept.record())) {
        continue;
      }
      without.add(kept.name());
      if (seenWithoutNamespace.contains(kept.name())
          && undo(kept, state.attachments(), "its namespace is gone")) {
        without.remove(kept.name());
        events.repaired(Repair.LOST_ATTACHMENT);
        events.note(
            "removed %s of %s: its network namespace is gone and no DEL came"
                .formatted(kept.record().plugin(), describe(kept.record())));
      }
    }
    seenWithoutNamespace = without;
  }

  private boolean isLost(CallRecord record) {
    return !record.netns().isNone() && !runner.namespaceIsThere(record);
  }

  /** Whoever holds the attachment's lock is at work on it and will see to it. */
  private boolean undo(Kept kept, RecordFolder folder, String why) {
    CallRecord record = kept.record();
    if (record.key().isEmpty()) {
      folder.remove(kept.name());
      return false;
    }
    Optional<RangeLock> lock = state.lock(record.key().get(), SHORT);
    if (lock.isEmpty()) {
      return false;
    }
    try (RangeLock _ = lock.get()) {
      // It may have been dealt with since the list was made.
      Optional<CallRecord> still = folder.read(kept.name());
      if (still.isEmpty() || still.get().unixMillis() != record.unixMillis()) {
        return false;
      }
      if (!runner.undo(kept.name(), record)) {
        events.note(
            "%s: DEL of %s for %s failed, tried again later"
                .formatted(why, record.plugin(), describe(record)));
        return false;
      }
      folder.remove(kept.name());
      return true;
    } catch (RuntimeException e) {
      events.note("%s: %s: %s".formatted(why, describe(record), e.getMessage()));
      return false;
    }
  }

  /** A record that is not whole was never finished, so the call it was for had not begun. */
  private void removeBroken(RecordFolder folder) {
    for (String name : folder.names()) {
      if (folder.read(name).isEmpty() && folder.isOld(name)) {
        folder.remove(name);
        events.repaired(Repair.BROKEN_RECORD);
        events.note("removed %s/%s, which is not a whole record".formatted(folder.path(), name));
      }
    }
  }

  private static String describe(CallRecord record) {
    return record.key().map(Object::toString).orElse("an unknown attachment");
  }
}
