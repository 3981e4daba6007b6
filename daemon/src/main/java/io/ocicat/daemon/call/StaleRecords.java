package io.ocicat.daemon.call;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.PluginConfig;
import io.ocicat.daemon.liveness.NodeInterfaces;
import io.ocicat.daemon.liveness.UndoReason;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Undoes a plugin's records of attachments that a GC request no longer lists. */
record StaleRecords(DaemonState state, UnrequestedUndo unrequested) {
  /**
   * A process that holds the lock for longer is working on it, and will take care of its record.
   */
  private static final Duration SHORT = Duration.ofMillis(20);

  void remove(PluginCall gc) {
    PluginConfig config = gc.stdin().config();
    Optional<List<Attachment>> valid = config.validAttachments();
    if (valid.isEmpty()) {
      return;
    }
    Set<Attachment> keep = Set.copyOf(valid.get());
    NodeInterfaces interfaces = new NodeInterfaces();
    for (RecordFolder folder : List.of(state.journal(), state.spool(), state.attachments())) {
      for (Kept kept : folder.list()) {
        CallRecord record = kept.record();
        Optional<AttachmentKey> key = record.key();
        boolean stale =
            key.isPresent()
                && record.plugin().equals(gc.name())
                && record.network().equals(config.name())
                && !keep.contains(new Attachment(key.get().containerId(), key.get().ifName()));
        if (stale) {
          undo(folder, kept, interfaces);
        }
      }
    }
  }

  private void undo(RecordFolder folder, Kept kept, NodeInterfaces interfaces) {
    try {
      unrequested.undo(folder, kept, UndoReason.GC, UnrequestedUndo.nowNanos(), interfaces, SHORT);
    } catch (NetlinkException | UncheckedIOException _) {
      // It stays until it can be locked again.
    }
  }
}
