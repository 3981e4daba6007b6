package io.ocicat.cli.inspect;

import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.HostLocalLeases;
import io.ocicat.cli.options.NodeContext;
import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.plugins.hostlocal.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Everything that files and the daemon record about a container or pod.
 *
 * @param attachments from our records; likewise journal and spool
 * @param expectedAttachments all attachments of the machine, including those that only runtimes
 *     have cached
 * @param leases host-local's
 * @param obstacles why some of it could not be read
 */
record ContainerRecords(
    DaemonState state,
    ContainerSelector subject,
    DaemonHistory daemon,
    List<CallRecord> attachments,
    List<CallRecord> journal,
    List<CallRecord> spool,
    ExpectedAttachments expectedAttachments,
    List<Lease> leases,
    List<String> obstacles) {

  static ContainerRecords gather(NodeContext context, Cni cni, String about) {
    DaemonState state = context.state();
    ExpectedAttachments expectedAttachments = ExpectedAttachments.of(state, cni);
    List<String> obstacles = new ArrayList<>(expectedAttachments.obstacles());
    List<Lease> leases =
        orNone(() -> HostLocalLeases.of(cni, expectedAttachments, context.root()), obstacles);
    ContainerSelector subject = ContainerSelector.of(about, expectedAttachments, leases);
    return new ContainerRecords(
        state,
        subject,
        DaemonHistory.ask(context.folders().infoSocket(), subject),
        records(state.attachments(), subject),
        records(state.journal(), subject),
        records(state.spool(), subject),
        expectedAttachments,
        leases.stream().filter(lease -> subject.isAbout(lease.holder().containerId(), "")).toList(),
        obstacles);
  }

  /** What cannot be read must not hide the rest. */
  private static <T> List<T> orNone(Supplier<List<T>> reading, List<String> obstacles) {
    try {
      return reading.get();
    } catch (CniException e) {
      obstacles.add(String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  private static List<CallRecord> records(RecordFolder folder, ContainerSelector subject) {
    return folder.list().stream()
        .map(Kept::record)
        .filter(
            record ->
                subject.isAbout(
                    record.environment().getOrDefault(CniEnvironment.CONTAINER_ID, ""),
                    PodName.of(record.environment())))
        .toList();
  }

  /** Every interface that any of it is about. */
  Set<AttachmentKey> attachmentKeys() {
    Set<AttachmentKey> keys =
        new TreeSet<>(
            Comparator.comparing(AttachmentKey::containerId).thenComparing(AttachmentKey::ifName));
    for (List<CallRecord> records : List.of(attachments, journal, spool)) {
      records.forEach(record -> record.key().ifPresent(keys::add));
    }
    for (FinishedCall call : daemon.calls()) {
      if (!call.containerId().isEmpty() && !call.ifName().isEmpty()) {
        keys.add(new AttachmentKey(call.containerId(), call.ifName()));
      }
    }
    for (ExpectedAttachment expected : expectedAttachments.all()) {
      if (subject.isAbout(expected.key().containerId(), expected.pod())) {
        keys.add(expected.key());
      }
    }
    for (Lease lease : leases) {
      keys.add(new AttachmentKey(lease.holder().containerId(), lease.holder().ifName()));
    }
    return keys;
  }
}
