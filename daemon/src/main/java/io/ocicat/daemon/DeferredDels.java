package io.ocicat.daemon;

import io.ocicat.daemon.call.UndoOutcome;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Retries the DELs recorded in one folder until they succeed. Records of one plugin on one network
 * fail for the same cause, such as an unreachable datastore or folder: so one of them is tried, and
 * the others once that succeeds. Records that must wait for something that is still alive have a
 * schedule of their own.
 */
final class DeferredDels {
  /** Records that fail for the same cause. */
  record Group(String plugin, String network) {
    static Group of(CallRecord record) {
      return new Group(record.plugin(), record.network());
    }
  }

  /** Receives the outcome of each attempt. */
  interface Log {
    void failed(Group group, int count, String why);

    void refused(Kept kept, String because);
  }

  private final RecordFolder folder;
  private final RetrySchedule<Group> groups;
  private final RetrySchedule<String> waiting;
  private final Map<Group, String> lastTried = new HashMap<>();
  private final Log log;

  DeferredDels(RecordFolder folder, LongSupplier nanos, Log log) {
    this.folder = folder;
    this.groups = new RetrySchedule<>(Daemon.RETRY, nanos);
    this.waiting = new RetrySchedule<>(Daemon.RETRY, nanos);
    this.log = log;
  }

  /** A call for this plugin and network succeeded. */
  void succeeded(Group group) {
    groups.reset(group);
  }

  /** Whether any record waits for a call to succeed. */
  boolean hasFailures() {
    return !groups.isEmpty();
  }

  /**
   * Tries those that are due.
   *
   * @param names of the records that may be tried
   * @param read reads one; empty when the record is incomplete
   * @return how many are done
   */
  int tryAll(
      List<String> names,
      Function<String, Optional<Kept>> read,
      Function<Kept, UndoOutcome> undo,
      long deadlineNanos) {
    Map<Group, List<Kept>> due = new LinkedHashMap<>();
    for (String name : names) {
      read.apply(name)
          .ifPresent(
              kept ->
                  due.computeIfAbsent(Group.of(kept.record()), _ -> new ArrayList<>()).add(kept));
    }
    waiting.forgetAllBut(names);
    groups.forgetAllBut(due.keySet());
    lastTried.keySet().retainAll(new HashSet<>(due.keySet()));
    int done = 0;
    for (Map.Entry<Group, List<Kept>> group : due.entrySet()) {
      if (groups.isDue(group.getKey()) && System.nanoTime() < deadlineNanos) {
        done += tryGroup(group.getKey(), group.getValue(), undo, deadlineNanos);
      }
    }
    return done;
  }

  RecordFolder folder() {
    return folder;
  }

  private int tryGroup(
      Group group, List<Kept> members, Function<Kept, UndoOutcome> undo, long deadlineNanos) {
    int done = 0;
    for (Kept kept : startingAfterLast(group, members)) {
      if (!waiting.isDue(kept.name()) || System.nanoTime() >= deadlineNanos) {
        continue;
      }
      lastTried.put(group, kept.name());
      switch (undo.apply(kept)) {
        case UndoOutcome.Done() -> done++;
        case UndoOutcome.LeftToOthers() -> {}
        case UndoOutcome.Refused(String because) -> {
          waiting.failed(kept.name());
          log.refused(kept, because);
        }
        case UndoOutcome.Failed(String why) -> {
          groups.failed(group);
          log.failed(group, members.size() - done, why);
          return done;
        }
      }
    }
    groups.reset(group);
    return done;
  }

  /** A record that fails for a reason of its own must not keep the others from being tried. */
  private List<Kept> startingAfterLast(Group group, List<Kept> members) {
    String last = lastTried.getOrDefault(group, "");
    List<Kept> rotated = new ArrayList<>();
    members.stream().filter(kept -> kept.name().compareTo(last) > 0).forEach(rotated::add);
    members.stream().filter(kept -> kept.name().compareTo(last) <= 0).forEach(rotated::add);
    return rotated;
  }
}
