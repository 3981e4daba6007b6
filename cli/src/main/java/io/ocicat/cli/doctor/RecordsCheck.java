package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ShortIds;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.UndoOutcome;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.UndoDecision;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.netlink.linux.RangeLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Finds records of killed calls, and of attachments whose container disappeared without a DEL. A
 * fix is a DEL under the attachment's lock, if the finding still holds by then.
 */
record RecordsCheck(DaemonState state, CallRunner runner, boolean daemonRuns)
    implements DoctorCheck {
  private static final Duration AT_ONCE = Duration.ofMillis(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @Override
  public String name() {
    return "leaks";
  }

  @Override
  public List<DoctorFinding> run() {
    List<DoctorFinding> findings = new ArrayList<>();
    ShortIds ids = shortIds();
    for (Kept kept : state.journal().list()) {
      if (isFree(kept.record())) {
        findings.add(
            DoctorFinding.warning(
                    "%s for %s was killed in the middle".formatted(plugin(kept), name(kept, ids)),
                    "links, addresses or rules may be left of it",
                    "`ocicat doctor --fix` undoes it, as the runtime's DEL does")
                .fixedBy(() -> undo(state.journal(), kept)));
      }
    }
    for (Kept kept : state.attachments().list()) {
      if (isGone(kept.record()) && isDead(kept)) {
        findings.add(
            DoctorFinding.warning(
                    "%s exists by %s, its network namespace does not"
                        .formatted(name(kept, ids), plugin(kept)),
                    "its address stays taken until there is a DEL"
                        + (daemonRuns ? "; ocicatd makes one within two minutes" : ""),
                    "`ocicat doctor --fix` removes it")
                .fixedBy(() -> undo(state.attachments(), kept)));
      }
    }
    if (daemonRuns && !state.spool().names().isEmpty()) {
      findings.add(
          DoctorFinding.warning(
              "%d DELs could not be finished yet".formatted(state.spool().names().size()),
              "what they were to remove is still there",
              "remove the obstacle that ocicatd's log names: it tries again within a minute"));
    } else {
      for (Kept kept : state.spool().list()) {
        findings.add(
            DoctorFinding.warning(
                    "DEL by %s for %s could not be finished yet"
                        .formatted(plugin(kept), name(kept, ids)),
                    "what it was to remove is still there, and no ocicatd runs to try again",
                    "start ocicatd, or `ocicat doctor --fix`")
                .fixedBy(() -> undo(state.spool(), kept)));
      }
    }
    for (RecordFolder folder : List.of(state.journal(), state.attachments(), state.spool())) {
      broken(folder, findings);
    }
    return findings;
  }

  private static void broken(RecordFolder folder, List<DoctorFinding> findings) {
    for (String name : folder.names()) {
      if (folder.isBroken(name)) {
        findings.add(
            DoctorFinding.note(
                    "%s/%s is not a complete record".formatted(folder.path(), name),
                    "whoever wrote it was killed before the call began, so it means nothing",
                    "`ocicat doctor --fix` removes it")
                .fixedBy(
                    () -> {
                      if (folder.isBroken(name)) {
                        folder.remove(name);
                      }
                    }));
      }
    }
  }

  /** Whether no process is working on it. */
  private boolean isFree(CallRecord record) {
    Optional<RangeLock> lock = record.key().flatMap(key -> state.lock(key, AT_ONCE));
    lock.ifPresent(RangeLock::close);
    return lock.isPresent();
  }

  private boolean isGone(CallRecord record) {
    return !record.netns().isNone() && !runner.namespaceIsThere(record);
  }

  /** Whether every source says so: those that name the container, and the kernel. */
  private boolean isDead(Kept kept) {
    UndoReason occasion = runner.reasonFor(state.attachments(), kept.record());
    return runner.decide(state.attachments(), kept, occasion, new NodeInterfaces())
        instanceof UndoDecision.Permitted;
  }

  private void undo(RecordFolder folder, Kept kept) {
    UndoOutcome undoing =
        runner.undo(
            folder,
            kept,
            runner.reasonFor(folder, kept.record()),
            TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()),
            new NodeInterfaces(),
            TIMEOUT);
    switch (undoing) {
      case UndoOutcome.Done(), UndoOutcome.LeftToOthers() -> {}
      case UndoOutcome.Refused(String because) ->
          throw new IllegalStateException(
              "%s was left alone: %s".formatted(name(kept, shortIds()), because));
      case UndoOutcome.Failed(String why) ->
          throw new IllegalStateException(
              "DEL of %s failed: %s".formatted(name(kept, shortIds()), why));
    }
  }

  private ShortIds shortIds() {
    return ShortIds.among(
        Stream.of(state.journal(), state.attachments(), state.spool())
            .flatMap(folder -> folder.list().stream())
            .flatMap(kept -> kept.record().key().stream())
            .map(AttachmentKey::containerId)
            .toList());
  }

  private static String name(Kept kept, ShortIds ids) {
    String pod = PodName.of(kept.record().environment());
    String container =
        kept.record()
            .key()
            .map(key -> ids.of(key.containerId()) + "/" + key.ifName())
            .orElse(kept.name());
    return pod.isEmpty() ? container : "%s (%s)".formatted(pod, container);
  }

  private static String plugin(Kept kept) {
    return kept.record().plugin();
  }
}
