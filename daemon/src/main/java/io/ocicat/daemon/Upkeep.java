package io.ocicat.daemon;

import io.ocicat.daemon.address.AddressSweep;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.server.Repair;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.State;
import io.ocicat.netlink.linux.RangeLock;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finishes what calls left behind: those that were killed, those that were promised to be finished,
 * and attachments whose container went without anybody saying so. Works through records only, under
 * each attachment's lock, and by nothing but DEL. Whatever is wrong with one record, or with all of
 * them, is noted and tried again later: nothing of it may end the daemon. For one thread.
 */
final class Upkeep {
  private static final Duration SHORT = Duration.ofMillis(20);

  private final State state;
  private final CallRunner runner;
  private final Events events;
  private final AddressSweep addresses;
  private final SoundAttachments sound;
  private Set<String> seenWithoutNamespace = new HashSet<>();

  /** The journal at the last look. A call that goes well is not in it for two looks. */
  private Map<String, Long> seenInJournal = Map.of();

  /** What was already said of a record, so that it is said once. */
  private final Map<String, String> noted = new HashMap<>();

  Upkeep(State state, CallRunner runner, Events events, AddressSweep addresses, Clock clock) {
    this.state = state;
    this.runner = runner;
    this.events = events;
    this.addresses = addresses;
    this.sound = SoundAttachments.of(state, runner, clock);
  }

  /**
   * Before the first call is served: what killed calls left, and what is from before a restart.
   *
   * @param limit then the rest is left for later, because callers wait
   */
  void recover(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    int killed = finish(state.journal(), Repair.KILLED_CALL, deadline, _ -> true);
    int restarted = finish(state.attachments(), Repair.EARLIER_BOOT, deadline, this::isFormer);
    if (killed + restarted > 0) {
      events.note(
          "recovered: %d killed calls finished, %d attachments of the machine's last start removed"
              .formatted(killed, restarted));
    }
    finish(state.spool(), Repair.SPOOLED_DEL, deadline, _ -> true);
  }

  /**
   * Every {@link Daemon#RETRY}: tries again what DEL could not do at once, and finishes what was
   * killed.
   */
  void look() {
    if (!state.spool().isEmpty()) {
      finish(state.spool(), Repair.SPOOLED_DEL, inAMinute(), _ -> true);
    }
    if (!state.journal().isEmpty()) {
      finishKilled();
    }
  }

  /** Once a minute: what nobody asked for. */
  void sweep() {
    removeUnsound();
    noted.clear();
    addresses.look(events::note);
  }

  int spooled() {
    return state.spool().names().size();
  }

  /** Calls of other processes may be killed at any time. */
  private void finishKilled() {
    Map<String, Long> present = new HashMap<>();
    for (Kept kept : state.journal().list()) {
      present.put(kept.name(), kept.record().unixMillis());
    }
    Map<String, Long> before = seenInJournal;
    seenInJournal = present;
    finish(
        state.journal(),
        Repair.KILLED_CALL,
        inAMinute(),
        kept -> Objects.equals(before.get(kept.name()), kept.record().unixMillis()));
  }

  private int finish(RecordFolder folder, Repair kind, long deadline, Predicate<Kept> which) {
    int finished = 0;
    for (String name : names(folder).orElse(List.of())) {
      Optional<Kept> kept = read(folder, name);
      if (kept.filter(which).isPresent()
          && System.nanoTime() < deadline
          && repair(kept.get(), folder, kind)) {
        finished++;
      }
    }
    return finished;
  }

  /**
   * Removes attachments from before the machine's last start, and those whose namespace is gone.
   * Nobody asked for the latter, so only what was found gone at the last look as well; a look is a
   * minute or so after the other. Usually there is neither, and hardly any record is read.
   */
  private void removeUnsound() {
    RecordFolder folder = state.attachments();
    Optional<List<String>> names = names(folder);
    if (names.isEmpty()) {
      return;
    }
    long deadline = inAMinute();
    Set<String> without = new HashSet<>();
    for (String name : names.get()) {
      if (!sound.contains(name)) {
        read(folder, name).ifPresent(kept -> removeUnsound(kept, deadline, without));
      }
    }
    sound.forgetAllBut(names.get());
    seenWithoutNamespace = without;
  }

  private void removeUnsound(Kept kept, long deadline, Set<String> without) {
    RecordFolder folder = state.attachments();
    if (isFormer(kept)) {
      if (System.nanoTime() < deadline) {
        repair(kept, folder, Repair.EARLIER_BOOT);
      }
    } else if (isLost(kept.record())) {
      if (!seenWithoutNamespace.contains(kept.name())
          || !repair(kept, folder, Repair.LOST_ATTACHMENT)) {
        without.add(kept.name());
      } else {
        events.note(
            "removed %s of %s: its network namespace is gone and no DEL came"
                .formatted(kept.record().plugin(), describe(kept.record())));
      }
    }
  }

  /** Empty when they cannot be listed. */
  private Optional<List<String>> names(RecordFolder folder) {
    try {
      return Optional.of(folder.names());
    } catch (UncheckedIOException e) {
      noteOnce(folder.path().toString(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** Empty when it is not whole; then it is removed, if it will not become so any more. */
  private Optional<Kept> read(RecordFolder folder, String name) {
    Optional<CallRecord> record = folder.read(name);
    // A record that is not whole was never finished, so the call it was for had not begun.
    if (record.isEmpty() && folder.isBroken(name) && remove(folder, name)) {
      events.repaired(Repair.BROKEN_RECORD);
      events.note("removed %s/%s, which is not a whole record".formatted(folder.path(), name));
    }
    return record.map(whole -> new Kept(name, whole));
  }

  private boolean remove(RecordFolder folder, String name) {
    try {
      return folder.remove(name);
    } catch (UncheckedIOException e) {
      noteOnce(name, String.valueOf(e.getMessage()));
      return false;
    }
  }

  private boolean isFormer(Kept kept) {
    return isFormer(kept.record());
  }

  private boolean isFormer(CallRecord record) {
    return !record.boot().equals(state.boot());
  }

  private boolean isLost(CallRecord record) {
    return !record.netns().isNone() && !runner.namespaceIsThere(record);
  }

  private boolean repair(Kept kept, RecordFolder folder, Repair kind) {
    boolean undone = undo(kept, folder, why(kind));
    if (undone) {
      events.repaired(kind);
    }
    return undone;
  }

  /** Whoever holds the attachment's lock is at work on it and will see to it. */
  private boolean undo(Kept kept, RecordFolder folder, String why) {
    CallRecord record = kept.record();
    try {
      if (record.key().isEmpty()) {
        folder.remove(kept.name());
        return false;
      }
      Optional<RangeLock> lock = state.lock(record.key().get(), SHORT);
      if (lock.isEmpty()) {
        return false;
      }
      try (RangeLock _ = lock.get()) {
        return undoLocked(kept, folder, why);
      }
    } catch (RuntimeException e) {
      noteOnce(kept.name(), "%s: %s: %s".formatted(why, describe(record), e.getMessage()));
      return false;
    }
  }

  private boolean undoLocked(Kept kept, RecordFolder folder, String why) {
    // It may have been dealt with since the list was made.
    CallRecord record = kept.record();
    Optional<CallRecord> still = folder.read(kept.name());
    if (still.isEmpty() || still.get().unixMillis() != record.unixMillis()) {
      return false;
    }
    if ((isFormer(record) || folder == state.attachments()) && runner.isMadeAnew(record)) {
      return false;
    }
    boolean done =
        folder == state.journal()
            ? runner.finish(kept.name(), record)
            : runner.undo(kept.name(), record);
    if (!done) {
      noteOnce(
          kept.name(),
          "%s: DEL of %s for %s failed, tried again later"
              .formatted(why, record.plugin(), describe(record)));
      return false;
    }
    folder.remove(kept.name());
    return true;
  }

  private void noteOnce(String about, String sentence) {
    if (!sentence.equals(noted.put(about, sentence))) {
      events.note(sentence);
    }
  }

  private static String why(Repair kind) {
    return switch (kind) {
      case KILLED_CALL -> "a call that was killed";
      case EARLIER_BOOT -> "the machine was started again";
      case SPOOLED_DEL -> "a DEL that was put off";
      case LOST_ATTACHMENT -> "its namespace is gone";
      case BROKEN_RECORD -> "it is not a whole record";
    };
  }

  private static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }

  private static String describe(CallRecord record) {
    return record.key().map(Object::toString).orElse("an unknown attachment");
  }
}
