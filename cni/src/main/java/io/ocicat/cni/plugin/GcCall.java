package io.ocicat.cni.plugin;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.PluginConfig;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A call of the verb GC: remove what belongs to this network and to no valid attachment. */
public final class GcCall extends Call {
  GcCall(PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
    super(config, environment, host, log);
  }

  /**
   * The valid attachments. Empty when the runtime did not list them: then nothing is known to be
   * stale, and nothing should be removed.
   */
  public Optional<Set<Attachment>> validAttachments() {
    return config().validAttachments().map(Set::copyOf);
  }
}
