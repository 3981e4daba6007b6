package io.ocicat.cli.inspect;

import io.ocicat.cli.Site;
import io.ocicat.cli.doctor.HostLocalLeases;
import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.info.CallSelection;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.plugins.hostlocal.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * All that files and daemon tell of a container or pod.
 *
 * @param attachments those that our records have; so with journal and spool
 * @param cached those that runtimes remember, in libcni's cache
 * @param leases host-local's
 * @param obstacles why some of it could not be looked at
 */
record Evidence(
    State state,
    DaemonMemory daemon,
    List<CallRecord> attachments,
    List<CallRecord> journal,
    List<CallRecord> spool,
    List<CachedAttachment> cached,
    List<Lease> leases,
    List<String> obstacles) {

  static Evidence gather(Site site, Cni cni, String about) {
    State state = site.state();
    List<String> obstacles = new ArrayList<>();
    List<CachedAttachment> cached =
        orNone(cni::attachments, obstacles).stream()
            .filter(one -> isAbout(about, one.container().id().value(), Remembered.podOf(one)))
            .toList();
    List<Lease> leases =
        orNone(() -> HostLocalLeases.of(cni), obstacles).stream()
            .filter(lease -> isAbout(about, lease.holder().containerId(), ""))
            .toList();
    return new Evidence(
        state,
        DaemonMemory.ask(site.folders().infoSocket(), about),
        records(state.attachments(), about),
        records(state.journal(), about),
        records(state.spool(), about),
        cached,
        leases,
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

  private static boolean isAbout(String about, String containerId, String pod) {
    return CallSelection.isAbout(about, containerId, pod);
  }

  private static List<CallRecord> records(RecordFolder folder, String about) {
    return folder.list().stream()
        .map(Kept::record)
        .filter(
            record ->
                isAbout(
                    about,
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
    cached.forEach(one -> keys.add(Remembered.keyOf(one)));
    for (Lease lease : leases) {
      keys.add(new AttachmentKey(lease.holder().containerId(), lease.holder().ifName()));
    }
    return keys;
  }
}
