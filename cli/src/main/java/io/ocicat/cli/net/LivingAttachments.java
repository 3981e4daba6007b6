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
 * Lists a network's attachments whose containers are running: those in libcni's cache or in our own
 * records whose network namespace exists. Attachments that are just being made count as well.
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
