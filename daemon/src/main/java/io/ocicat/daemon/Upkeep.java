package io.ocicat.daemon;

import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.PutOffDels.Group;
import io.ocicat.daemon.address.AddressSweep;
import io.ocicat.daemon.address.PoolFollower;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.Undoing;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.Occasion;
import io.ocicat.daemon.server.CallOutcome;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.server.Repair;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.State;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Finishes what calls left behind: those that were killed, those that were promised to be finished,
 * and attachments whose container went without anybody saying so. Works through records only, under
 * each attachment's lock, by nothing but DEL, and only where {@link
 * io.ocicat.daemon.liveness.UndoPolicy} permits it. Whatever is wrong with one record, or with all
 * of them, is noted and tried again later: nothing of it may end the daemon. For one thread.
 */
final class Upkeep {
  private static final Duration SHORT = Duration.ofMillis(20);

  private final State state;
  private final CallRunner runner;
  private final Events events;
  private final AddressSweep addresses;
  private final PoolFollower pools;
  private final SoundAttachments sound;
  private final PutOffDels spooled;
  private final PutOffDels killed;
  private Set<String> seenWithoutNamespace = new HashSet<>();

  /** What nobody was at work on in the journal at the last look, although it is not finished. */
  private Map<String, Seen> seenInJournal = Map.of();

  /** What was already said of a record, so that it is said once, or once a minute. */
  private final Map<Object, String> noted = new HashMap<>();

  private final Map<String, String> notedRefusals = new HashMap<>();

  /**
   * A record of a call that was killed, unless it only just begins or ends.
   *
   * @param sinceNanos since 1970, when it was first seen with nobody at work on it
   */
  private record Seen(CallRecord record, long sinceNanos) {}

  Upkeep(
      State state,
      CallRunner runner,
      Events events,
      AddressSweep addresses,
      PoolFollower pools,
      Clock clock) {
    this(state, runner, events, addresses, pools, clock, System::nanoTime);
  }

  /**
   * @param nanos a clock that nobody sets, as {@link System#nanoTime}
   */
  Upkeep(
      State state,
      CallRunner runner,
      Events events,
      AddressSweep addresses,
      PoolFollower pools,
      Clock clock,
      LongSupplier nanos) {
    this.state = state;
    this.runner = runner;
    this.events = events;
    this.addresses = addresses;
    this.pools = pools;
    this.sound = SoundAttachments.of(state, runner, clock);
    this.spooled = new PutOffDels(state.spool(), nanos, log("a DEL that was put off"));
    this.killed = new PutOffDels(state.journal(), nanos, log("a call that was killed"));
  }

  /**
   * Before the first call is served: what killed calls left, and what is from before a restart.
   *
   * @param limit then the rest is left for later, because callers wait
   */
  void recover(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    NodeInterfaces interfaces = new NodeInterfaces();
    int calls = finish(killed, names(state.journal()), Repair.KILLED_CALL, interfaces, deadline);
    int restarted = removeFormer(interfaces, deadline);
    if (calls + restarted > 0) {
      events.note(
          "recovered: %d killed calls finished, %d attachments of the machine's last start removed"
              .formatted(calls, restarted));
    }
    finish(spooled, names(state.spool()), Repair.SPOOLED_DEL, interfaces, deadline);
  }

  /**
   * Every {@link Daemon#RETRY}: tries again what DEL could not do at once and is due, and finishes
   * what was killed.
   */
  void look() {
    if (!state.spool().isEmpty()) {
      finish(spooled, names(state.spool()), Repair.SPOOLED_DEL, new NodeInterfaces(), inAMinute());
    }
    if (!state.journal().isEmpty()) {
      finishKilled();
    }
    pools.look(events::note);
  }

  /** Once a minute: what nobody asked for. */
  void sweep() {
    removeUnsound();
    noted.clear();
    addresses.look(events::note);
    pools.lookThoroughly(events::note);
  }

  int spooled() {
    return state.spool().names().size();
  }

  /** A call that went well may have shown that what kept others from it is gone. Thread-safe. */
  void finished(CallOutcome call) {
    // A DEL answers 0 also when it was put off.
    boolean works = !call.failed() && Verb.ADD.name().equals(call.verb());
    if (works && (spooled.hasFailures() || killed.hasFailures())) {
      Group group = new Group(call.plugin(), call.network());
      spooled.succeeded(group);
      killed.succeeded(group);
    }
  }

  /** Calls of other processes may be killed at any time. */
  private void finishKilled() {
    Map<String, Seen> before = seenInJournal;
    Map<String, Seen> present = new HashMap<>();
    List<String> twice = new ArrayList<>();
    for (String name : names(state.journal())) {
      Optional<Kept> kept = read(state.journal(), name);
      Seen seen = before.get(name);
      if (kept.isPresent() && seen != null && seen.record().isSameAs(kept.get().record())) {
        present.put(name, seen);
        twice.add(name);
      } else if (kept.isPresent() && !runner.isAtWork(kept.get().record())) {
        present.put(name, new Seen(kept.get().record(), nowNanos()));
      }
    }
    seenInJournal = present;
    finish(killed, twice, Repair.KILLED_CALL, new NodeInterfaces(), inAMinute());
  }

  private int finish(
      PutOffDels dels,
      List<String> names,
      Repair kind,
      NodeInterfaces interfaces,
      long deadlineNanos) {
    RecordFolder folder = dels.folder();
    return dels.tryAll(
        names,
        name -> read(folder, name),
        kept -> undo(folder, kept, runner.occasionOf(folder, kept.record()), kind, interfaces),
        deadlineNanos);
  }

  /** Attachments from before the machine's last start. */
  private int removeFormer(NodeInterfaces interfaces, long deadlineNanos) {
    int removed = 0;
    Set<Group> failing = new HashSet<>();
    for (String name : names(state.attachments())) {
      // So that the first sweep need not read again what is sound.
      Optional<Kept> kept =
          sound.contains(name)
              ? Optional.empty()
              : read(state.attachments(), name).filter(this::isFormer);
      if (kept.isPresent() && System.nanoTime() < deadlineNanos) {
        removed += removeFormer(kept.get(), interfaces, failing) ? 1 : 0;
      }
    }
    return removed;
  }

  private boolean removeFormer(Kept kept, NodeInterfaces interfaces, Set<Group> failing) {
    return isRemoved(kept, Occasion.EARLIER_BOOT, Repair.EARLIER_BOOT, interfaces, failing);
  }

  /**
   * Removes attachments from before the machine's last start, and those whose namespace is gone.
   * Nobody asked for the latter, so only what was found gone at the last look as well; a look is a
   * minute or so after the other. Usually there is neither, and hardly any record is read.
   */
  private void removeUnsound() {
    RecordFolder folder = state.attachments();
    List<String> names = names(folder);
    long deadline = inAMinute();
    NodeInterfaces interfaces = new NodeInterfaces();
    Set<Group> failing = new HashSet<>();
    Set<String> without = new HashSet<>();
    for (String name : names) {
      if (!sound.contains(name)) {
        read(folder, name)
            .filter(_ -> System.nanoTime() < deadline)
            .ifPresent(kept -> removeUnsound(kept, interfaces, failing, without));
      }
    }
    sound.forgetAllBut(names);
    notedRefusals.keySet().retainAll(new HashSet<>(names));
    seenWithoutNamespace = without;
  }

  private void removeUnsound(
      Kept kept, NodeInterfaces interfaces, Set<Group> failing, Set<String> without) {
    if (isFormer(kept)) {
      removeFormer(kept, interfaces, failing);
    } else if (isLost(kept.record())) {
      boolean seenTwice = seenWithoutNamespace.contains(kept.name());
      if (seenTwice
          && isRemoved(
              kept, Occasion.NAMESPACE_GONE, Repair.LOST_ATTACHMENT, interfaces, failing)) {
        events.note(
            "removed %s of %s: its network namespace is gone and no DEL came"
                .formatted(kept.record().plugin(), describe(kept.record())));
      } else {
        without.add(kept.name());
      }
    }
  }

  /** What shares a cause with one that failed just now is left for the next time. */
  private boolean isRemoved(
      Kept kept, Occasion occasion, Repair kind, NodeInterfaces interfaces, Set<Group> failing) {
    Group group = Group.of(kept.record());
    if (failing.contains(group)) {
      return false;
    }
    switch (undo(state.attachments(), kept, occasion, kind, interfaces)) {
      case Undoing.Done() -> {
        return true;
      }
      case Undoing.LeftToOthers() -> {}
      case Undoing.Refused(String because) -> noteRefusal(kept, because);
      case Undoing.Failed(String why) -> {
        failing.add(group);
        noteOnce(
            kept.name(),
            "%s: DEL of %s for %s failed, tried again later: %s"
                .formatted(words(occasion), kept.record().plugin(), describe(kept.record()), why));
      }
    }
    return false;
  }

  /** Empty when they cannot be listed. */
  private List<String> names(RecordFolder folder) {
    try {
      return folder.names();
    } catch (UncheckedIOException e) {
      noteOnce(folder.path().toString(), String.valueOf(e.getMessage()));
      return List.of();
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
    return !kept.record().boot().equals(state.boot());
  }

  private boolean isLost(CallRecord record) {
    return !record.netns().isNone() && !runner.namespaceIsThere(record);
  }

  private Undoing undo(
      RecordFolder folder, Kept kept, Occasion occasion, Repair kind, NodeInterfaces interfaces) {
    try {
      Undoing undoing =
          runner.undo(folder, kept, occasion, firstSeen(folder, kept), interfaces, SHORT);
      if (undoing instanceof Undoing.Done) {
        events.repaired(kind);
      }
      return undoing;
    } catch (RuntimeException e) {
      return new Undoing.Failed(String.valueOf(e.getMessage()));
    }
  }

  /** When nobody was at work on it any more, or now. */
  private long firstSeen(RecordFolder folder, Kept kept) {
    Seen seen = folder == state.journal() ? seenInJournal.get(kept.name()) : null;
    return seen != null && seen.record().isSameAs(kept.record()) ? seen.sinceNanos() : nowNanos();
  }

  private PutOffDels.Log log(String what) {
    return new PutOffDels.Log() {
      @Override
      public void failed(Group group, int count, String why) {
        if (!why.equals(noted.put(group, why))) {
          events.note(
              "%s: DEL of %s on network %s failed, tried again later (%d pending): %s"
                  .formatted(what, group.plugin(), group.network(), count, why));
        }
      }

      @Override
      public void refused(Kept kept, String because) {
        noteRefusal(kept, because);
      }
    };
  }

  private void noteRefusal(Kept kept, String because) {
    if (!because.equals(notedRefusals.put(kept.name(), because))) {
      events.note(
          "what is left of %s of %s stays for now: %s"
              .formatted(kept.record().plugin(), describe(kept.record()), because));
    }
  }

  private void noteOnce(String about, String sentence) {
    if (!sentence.equals(noted.put(about, sentence))) {
      events.note(sentence);
    }
  }

  private static String words(Occasion occasion) {
    return switch (occasion) {
      case EARLIER_BOOT -> "the machine was started again";
      case NAMESPACE_GONE -> "its namespace is gone";
      case KILLED_ADD, KILLED_DEL -> "a call that was killed";
      case PUT_OFF_DEL -> "a DEL that was put off";
      case GC -> "it is not in use";
      case RENAMED_NETWORK -> "its interface was deleted";
    };
  }

  private static long nowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  private static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }

  private static String describe(CallRecord record) {
    return record.key().map(Object::toString).orElse("an unknown attachment");
  }
}
