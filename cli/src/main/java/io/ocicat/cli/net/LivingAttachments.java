package io.ocicat.cli.net;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import io.ocicat.daemon.info.AttachmentInfo;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.RecordFolder.Kept;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The attachments of a network whose containers live: those that libcni's cache or our own records
 * have, and whose network namespace is there. Whoever is being attached right now counts as well.
 */
final class LivingAttachments {
  private LivingAttachments() {}

  static Set<Attachment> of(Network network, DaemonState state) {
    Set<Attachment> living = new LinkedHashSet<>();
    for (CachedAttachment cached : network.attachments()) {
      Container container = cached.container();
      if (!NamespaceId.of(container.netns()).isNone()) {
        living.add(new Attachment(container.id().value(), container.ifName().value()));
      }
    }
    for (RecordFolder records : List.of(state.attachments(), state.journal())) {
      for (Kept kept : records.list()) {
        AttachmentInfo attached = AttachmentInfo.of(kept.record(), state.boot());
        if (attached.network().equals(network.name()) && attached.netnsIsThere()) {
          living.add(new Attachment(attached.containerId(), attached.ifName()));
        }
      }
    }
    return living;
  }
}
