package io.ocicat.cni.plugin;

import io.ocicat.cni.PluginConfig;
import java.util.Map;

/** What every call has: the request, its environment, and the plugin's host. */
record CallContext(
    PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
  CallContext {
    environment = Map.copyOf(environment);
  }

  /** Empty when it is not set, because the protocol does not distinguish the two. */
  String variable(String name) {
    return environment.getOrDefault(name, "");
  }
}
