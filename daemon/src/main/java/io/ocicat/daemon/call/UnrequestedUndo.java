package io.ocicat.daemon.call;

import io.ocicat.cni.CniException;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.liveness.NodeEvidence;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.Suspect;
import io.ocicat.daemon.liveness.UndoDecision;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.RangeLock;
import io.ocicat.plugins.Plugins;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Undoes attachments without a request from their runtime, the only code that does so. Asks {@link
 * io.ocicat.daemon.liveness.UndoPolicy} first, under the attachment's lock, so that the decision
 * stays valid among our processes. Thread-safe.
 */
final class UnrequestedUndo {
  /** How long a runtime's call may have to wait for the cleanup of something else. */
  private static final Duration FOR_ANOTHER = Duration.ofSeconds(5);

  private final DaemonState state;
  private final CallJournal journal;
  private final DelHandler detaching;
  private final NodeEvidence evidence;

  UnrequestedUndo(
      DaemonState state, CallJournal journal, DelHandler detaching, CniFolders folders) {
    this.state = state;
    this.journal = journal;
    this.detaching = detaching;
    this.evidence = new NodeEvidence(state, folders);
  }

  /**
   * Undoes one, if permitted.
   *
   * @param limit how long to wait for processes that work on the attachment
   * @param idleSinceNanos since 1970, when it was known that no process is working on it any more
   */
  UndoOutcome undo(
      RecordFolder folder,
      Kept kept,
      UndoReason reason,
      long idleSinceNanos,
      NodeInterfaces interfaces,
      Duration limit) {
    Optional<AttachmentKey> key = kept.record().key();
    if (key.isEmpty()) {
      folder.remove(kept.name());
      return new UndoOutcome.LeftToOthers();
    }
    Optional<RangeLock> lock = state.lock(key.get(), limit);
    if (lock.isEmpty()) {
      return new UndoOutcome.LeftToOthers();
    }
    try (RangeLock _ = lock.get()) {
      Optional<CallRecord> still = folder.read(kept.name());
      if (still.isEmpty() || !still.get().isSameAs(kept.record())) {
        return new UndoOutcome.LeftToOthers();
      }
      return undoLocked(folder, kept, reason, idleSinceNanos, interfaces);
    }
  }

  /** The same for a caller that holds the attachment's lock, of a record that has not changed. */
  UndoOutcome undoLocked(
      RecordFolder folder,
      Kept kept,
      UndoReason reason,
      long idleSinceNanos,
      NodeInterfaces interfaces) {
    if (folder == state.journal() && isCommitted(kept)) {
      return journal.forgetCall(kept.name())
          ? new UndoOutcome.Done()
          : new UndoOutcome.Failed("its file in the journal cannot be removed");
    }
    return switch (decide(folder, kept, reason, idleSinceNanos, interfaces)) {
      case UndoDecision.Refused(String because) -> new UndoOutcome.Refused(because);
      case UndoDecision.Permitted(boolean enters) -> {
        Optional<String> failure = detaching.undo(kept.name(), kept.record(), enters);
        if (failure.isEmpty() && folder == state.attachments()) {
          forgetCached(kept.record());
        }
        yield failure.<UndoOutcome>map(UndoOutcome.Failed::new).orElseGet(UndoOutcome.Done::new);
      }
    };
  }

  /** The runtime's own cache entry goes with the last plugin of its chain (review C2). */
  private void forgetCached(CallRecord undone) {
    Optional<AttachmentKey> key = undone.key();
    if (key.isEmpty()) {
      return;
    }
    try {
      boolean last =
          state.recordsOf(key.get(), state.attachments(), Plugins.names()).values().stream()
              .noneMatch(
                  other -> other.isEmpty() || other.get().network().equals(undone.network()));
      if (last) {
        evidence.forgetCached(key.get(), undone);
      }
    } catch (CniException | UncheckedIOException _) {
      // A stale cache entry does no harm.
    }
  }

  UndoDecision decide(
      RecordFolder folder,
      Kept kept,
      UndoReason reason,
      long idleSinceNanos,
      NodeInterfaces interfaces) {
    Optional<AttachmentKey> key = kept.record().key();
    if (key.isEmpty()) {
      return new UndoDecision.Permitted(false);
    }
    Optional<CallRecord> committed =
        folder == state.attachments() ? Optional.empty() : state.attachments().read(kept.name());
    long settled =
        folder == state.journal()
            ? idleSinceNanos
            : folder.stat(kept.name()).map(FileStat::modifiedNanos).orElse(idleSinceNanos);
    return evidence.decide(
        Suspect.of(reason, key.get(), kept.name(), kept.record(), committed, settled), interfaces);
  }

  /** Why a record of this folder may be undone. */
  UndoReason reasonFor(RecordFolder folder, CallRecord record) {
    if (!record.boot().equals(state.boot())) {
      return UndoReason.EARLIER_BOOT;
    }
    if (folder == state.spool()) {
      return UndoReason.DEFERRED_DEL;
    }
    if (folder == state.journal()) {
      return record.isAdd() ? UndoReason.KILLED_ADD : UndoReason.KILLED_DEL;
    }
    return UndoReason.NAMESPACE_GONE;
  }

  /**
   * An attachment that was committed stays for its runtime's DEL: it is complete, or the ADD that
   * was killed was a second one, which a plugin refuses.
   */
  private boolean isCommitted(Kept kept) {
    return kept.record().isAdd()
        && state.attachments().read(kept.name()).filter(journal::namespaceIsThere).isPresent();
  }

  /**
   * A runtime has deleted an interface that has no record on the network it named. Then records of
   * other networks for the same interface are stale: the network was renamed. What cannot be undone
   * now, garbage collection undoes once the namespace is gone.
   */
  void undoOtherNetworks(PluginCall call, AttachmentKey key) {
    String network = call.network();
    Map<String, Optional<CallRecord>> found =
        state.recordsOf(key, state.attachments(), Plugins.names());
    List<Kept> others =
        found.entrySet().stream()
            .filter(entry -> entry.getValue().isPresent())
            .map(entry -> new Kept(entry.getKey(), entry.getValue().get()))
            .filter(kept -> !kept.record().network().equals(network))
            .filter(kept -> kept.record().boot().equals(state.boot()))
            .sorted(Comparator.comparingLong((Kept kept) -> kept.record().bootNanos()).reversed())
            .toList();
    if (others.isEmpty()) {
      return;
    }
    NodeInterfaces interfaces = new NodeInterfaces();
    long deadline = System.nanoTime() + FOR_ANOTHER.toNanos();
    for (Kept kept : others) {
      UndoOutcome undoing =
          undoLocked(state.attachments(), kept, UndoReason.RENAMED_NETWORK, nowNanos(), interfaces);
      if (!(undoing instanceof UndoOutcome.Done) || System.nanoTime() > deadline) {
        return;
      }
    }
  }

  static long nowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }
}
