package io.ocicat.cli.doctor;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import io.ocicat.plugins.net.AttachmentOwner;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Every attachment that our records or libcni's cache mention.
 *
 * @param labels that mark their objects on the host
 */
record AllAttachments(Set<Attachment> attachments, Set<String> labels) {

  static AllAttachments of(DaemonState state, Cni cni) {
    AllAttachments known = new AllAttachments(new HashSet<>(), new HashSet<>());
    for (RecordFolder folder : List.of(state.attachments(), state.journal(), state.spool())) {
      folder.list().stream().map(Kept::record).forEach(known::add);
    }
    for (CachedAttachment cached : cni.attachments()) {
      known.add(
          cached.network(),
          new Attachment(cached.container().id().value(), cached.container().ifName().value()));
    }
    return known;
  }

  private void add(CallRecord record) {
    record
        .key()
        .ifPresent(
            key -> {
              Attachment attachment = new Attachment(key.containerId(), key.ifName());
              try {
                add(new NetworkName(record.network()), attachment);
              } catch (CniException _) {
                attachments.add(attachment);
              }
            });
  }

  private void add(NetworkName network, Attachment attachment) {
    attachments.add(attachment);
    AttachmentOwner.of(network, attachment).map(AttachmentOwner::label).ifPresent(labels::add);
  }
}
