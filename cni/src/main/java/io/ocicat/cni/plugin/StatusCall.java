package io.ocicat.cni.plugin;

import io.ocicat.cni.PluginConfig;
import java.util.Map;

/** A call of the verb STATUS: could ADD work now? */
public final class StatusCall extends Call {
  StatusCall(PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
    super(config, environment, host, log);
  }
}
