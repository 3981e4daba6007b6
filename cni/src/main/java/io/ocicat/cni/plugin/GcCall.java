package io.ocicat.cni.plugin;

import io.ocicat.cni.Attachment;
import java.util.Optional;
import java.util.Set;

/** GC: remove what belongs to this network and to no container any more. */
public final class GcCall extends Call {
  GcCall(CallContext context) {
    super(context);
  }

  /**
   * The attachments still in use. Empty when the runtime does not say: then nothing is known to be
   * stale, and nothing should be removed.
   */
  public Optional<Set<Attachment>> validAttachments() {
    return config().validAttachments().map(Set::copyOf);
  }
}
