package io.ocicat.daemon;

import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.DeferredDels.Group;
import io.ocicat.daemon.address.AddressGc;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.UndoOutcome;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.trace.FinishedCall;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Finishes what calls left behind: killed calls, deferred DELs, and attachments whose container
 * disappeared without a DEL. Works from records only, under each attachment's lock, only by running
 * DEL, and only where {@link io.ocicat.daemon.liveness.UndoPolicy} permits it. Whatever is wrong
 * with one record, or with all of them, is logged and retried later: nothing of it may end the
 * daemon. For one thread.
 */
final class Reconciler {
  private static final Duration SHORT = Duration.ofMillis(20);

  private final DaemonState state;
  private final CallRunner runner;
  private final DaemonEvents events;
  private final AddressGc addresses;
  private final HostReconciliation host;
  private final HealthyAttachments healthy;
  private final DeferredDels spooled;
  private final DeferredDels killed;
  private final InterruptedCalls killedCalls;
  private final ReconcilerLog log;
  private Set<String> seenWithoutNamespace = new HashSet<>();

  Reconciler(
      DaemonState state,
      CallRunner runner,
      DaemonEvents events,
      AddressGc addresses,
      HostReconciliation host,
      Clock clock) {
    this(state, runner, events, addresses, host, clock, System::nanoTime);
  }

  /**
   * @param nanos a monotonic clock, as {@link System#nanoTime}
   */
  Reconciler(
      DaemonState state,
      CallRunner runner,
      DaemonEvents events,
      AddressGc addresses,
      HostReconciliation host,
      Clock clock,
      LongSupplier nanos) {
    this.state = state;
    this.runner = runner;
    this.events = events;
    this.addresses = addresses;
    this.host = host;
    this.healthy = HealthyAttachments.of(state, runner, clock);
    this.log = new ReconcilerLog(events);
    this.killedCalls = new InterruptedCalls(runner::isBusy);
    this.spooled = new DeferredDels(state.spool(), nanos, log.of("a deferred DEL"));
    this.killed = new DeferredDels(state.journal(), nanos, log.of("a killed call"));
  }

  /**
   * Runs before the first call is served: cleans up after killed calls and after a reboot.
   *
   * @param limit after which the rest is left for later, because callers wait
   */
  void recover(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    NodeInterfaces interfaces = new NodeInterfaces();
    int calls =
        finish(killed, names(state.journal()), RepairKind.KILLED_CALL, interfaces, deadline);
    int restarted = removeEarlierBoot(interfaces, deadline);
    if (calls + restarted > 0) {
      events.note(
          "recovered: %d killed calls finished, %d attachments of the machine's last start removed"
              .formatted(calls, restarted));
    }
    finish(spooled, names(state.spool()), RepairKind.SPOOLED_DEL, interfaces, deadline);
  }

  /**
   * Runs every {@link Daemon#RETRY}: retries the deferred DELs that are due, and finishes killed
   * calls.
   */
  void retryDue() {
    if (!state.spool().isEmpty()) {
      finish(
          spooled, names(state.spool()), RepairKind.SPOOLED_DEL, new NodeInterfaces(), inAMinute());
    }
    if (!state.journal().isEmpty()) {
      finishKilled();
    }
    host.update(events::note);
  }

  /** Runs once a minute: removes attachments that no DEL will remove. */
  void collectGarbage() {
    removeStale();
    log.startAgain();
    addresses.run(events::note);
    host.updateFully(events::note);
  }

  int spooled() {
    return state.spool().names().size();
  }

  /** A call that succeeded may show that the cause of earlier failures is gone. Thread-safe. */
  void finished(FinishedCall call) {
    // DEL returns 0 even when it was deferred.
    boolean works = !call.failed() && Verb.ADD.name().equals(call.verb());
    if (works && (spooled.hasFailures() || killed.hasFailures())) {
      Group group = new Group(call.plugin(), call.network());
      spooled.succeeded(group);
      killed.succeeded(group);
    }
  }

  /** Calls of other processes may be killed at any time. */
  private void finishKilled() {
    List<Kept> present = new ArrayList<>();
    for (String name : names(state.journal())) {
      read(state.journal(), name).ifPresent(present::add);
    }
    List<String> twice = killedCalls.seenTwice(present);
    finish(killed, twice, RepairKind.KILLED_CALL, new NodeInterfaces(), inAMinute());
  }

  private int finish(
      DeferredDels dels,
      List<String> names,
      RepairKind kind,
      NodeInterfaces interfaces,
      long deadlineNanos) {
    RecordFolder folder = dels.folder();
    return dels.tryAll(
        names,
        name -> read(folder, name),
        kept -> undo(folder, kept, runner.reasonFor(folder, kept.record()), kind, interfaces),
        deadlineNanos);
  }

  /** Removes attachments from before the last boot. */
  private int removeEarlierBoot(NodeInterfaces interfaces, long deadlineNanos) {
    int removed = 0;
    Set<Group> failing = new HashSet<>();
    for (String name : names(state.attachments())) {
      // So that the first garbage collection need not read the healthy records again.
      Optional<Kept> kept =
          healthy.contains(name)
              ? Optional.empty()
              : read(state.attachments(), name).filter(this::isEarlierBoot);
      if (kept.isPresent() && System.nanoTime() < deadlineNanos) {
        removed += removeEarlierBoot(kept.get(), interfaces, failing) ? 1 : 0;
      }
    }
    return removed;
  }

  private boolean removeEarlierBoot(Kept kept, NodeInterfaces interfaces, Set<Group> failing) {
    return isRemoved(kept, UndoReason.EARLIER_BOOT, RepairKind.EARLIER_BOOT, interfaces, failing);
  }

  /**
   * Removes attachments from before the last boot, and those whose namespace is gone. The latter
   * are removed without a request, so only if the previous scan, about a minute earlier, found the
   * namespace gone as well. Usually there are neither, and hardly any record is read.
   */
  private void removeStale() {
    RecordFolder folder = state.attachments();
    List<String> names = names(folder);
    long deadline = inAMinute();
    NodeInterfaces interfaces = new NodeInterfaces();
    Set<Group> failing = new HashSet<>();
    Set<String> without = new HashSet<>();
    for (String name : names) {
      if (!healthy.contains(name)) {
        read(folder, name)
            .filter(_ -> System.nanoTime() < deadline)
            .ifPresent(kept -> removeStale(kept, interfaces, failing, without));
      }
    }
    healthy.forgetAllBut(names);
    log.forgetAllBut(new HashSet<>(names));
    seenWithoutNamespace = without;
  }

  private void removeStale(
      Kept kept, NodeInterfaces interfaces, Set<Group> failing, Set<String> without) {
    if (isEarlierBoot(kept)) {
      removeEarlierBoot(kept, interfaces, failing);
    } else if (isLost(kept.record())) {
      boolean seenTwice = seenWithoutNamespace.contains(kept.name());
      if (seenTwice
          && isRemoved(
              kept, UndoReason.NAMESPACE_GONE, RepairKind.LOST_ATTACHMENT, interfaces, failing)) {
        log.removedLost(kept);
      } else {
        without.add(kept.name());
      }
    }
  }

  /** Records that share a cause with one that has just failed wait for the next time. */
  private boolean isRemoved(
      Kept kept,
      UndoReason reason,
      RepairKind kind,
      NodeInterfaces interfaces,
      Set<Group> failing) {
    Group group = Group.of(kept.record());
    if (failing.contains(group)) {
      return false;
    }
    switch (undo(state.attachments(), kept, reason, kind, interfaces)) {
      case UndoOutcome.Done() -> {
        return true;
      }
      case UndoOutcome.LeftToOthers() -> {}
      case UndoOutcome.Refused(String because) -> log.refused(kept, because);
      case UndoOutcome.Failed(String why) -> {
        failing.add(group);
        log.failed(kept, reason, why);
      }
    }
    return false;
  }

  /** Empty when the folder cannot be listed. */
  private List<String> names(RecordFolder folder) {
    try {
      return folder.names();
    } catch (UncheckedIOException e) {
      log.noteOnce(folder.path().toString(), String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  /**
   * Empty when the record is incomplete; then it is removed, if it can no longer become complete.
   */
  private Optional<Kept> read(RecordFolder folder, String name) {
    Optional<CallRecord> record = folder.read(name);
    // An incomplete record was never finished, so its call had not begun.
    if (record.isEmpty() && folder.isBroken(name) && remove(folder, name)) {
      events.repaired(RepairKind.BROKEN_RECORD);
      events.note("removed %s/%s, which is not a complete record".formatted(folder.path(), name));
    }
    return record.map(whole -> new Kept(name, whole));
  }

  private boolean remove(RecordFolder folder, String name) {
    try {
      return folder.remove(name);
    } catch (UncheckedIOException e) {
      log.noteOnce(name, String.valueOf(e.getMessage()));
      return false;
    }
  }

  private boolean isEarlierBoot(Kept kept) {
    return !kept.record().boot().equals(state.boot());
  }

  private boolean isLost(CallRecord record) {
    return !record.netns().isNone() && !runner.namespaceIsThere(record);
  }

  private UndoOutcome undo(
      RecordFolder folder,
      Kept kept,
      UndoReason reason,
      RepairKind kind,
      NodeInterfaces interfaces) {
    try {
      UndoOutcome undoing =
          runner.undo(folder, kept, reason, firstSeen(folder, kept), interfaces, SHORT);
      if (undoing instanceof UndoOutcome.Done) {
        events.repaired(kind);
      }
      return undoing;
    } catch (RuntimeException e) {
      return new UndoOutcome.Failed(String.valueOf(e.getMessage()));
    }
  }

  /** When the last process stopped working on it, or now. */
  private long firstSeen(RecordFolder folder, Kept kept) {
    return folder == state.journal() ? killedCalls.since(kept) : InterruptedCalls.nowNanos();
  }

  private static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }
}
