package io.ocicat.plugins.flannel;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.plugin.AttachmentCall;
import java.util.Optional;

/** The name of a scratch file, which identifies its attachment. */
record ScratchName(Attachment attachment, String network) {
  /** The prefix of our files; no container id starts with it. */
  private static final String HIDDEN = ".";

  /** Does not occur in any of the three parts. */
  private static final String SEPARATOR = ":";

  static ScratchName of(AttachmentCall call) {
    return new ScratchName(call.attachment(), call.network().value());
  }

  /** The name of our own file, {@code .<container id>:<interface>:<network>}. */
  String fileName() {
    return HIDDEN + String.join(SEPARATOR, attachment.containerId(), attachment.ifName(), network);
  }

  /** Parses a name by {@link #fileName()}, also that of a temporary file. */
  static Optional<ScratchName> parse(String fileName) {
    String[] parts = fileName.split(SEPARATOR, -1);
    if (!fileName.startsWith(HIDDEN) || parts.length < 3 || parts.length > 4) {
      return Optional.empty();
    }
    try {
      String containerId = new ContainerId(parts[0].substring(1)).value();
      String ifName = new InterfaceName(parts[1]).value();
      String network = new NetworkName(parts[2]).value();
      return Optional.of(new ScratchName(new Attachment(containerId, ifName), network));
    } catch (CniException _) {
      return Optional.empty();
    }
  }
}
