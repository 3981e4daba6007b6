package io.ocicat.cni.plugin;

import io.ocicat.cni.PluginConfig;
import java.util.Map;

/** What every call has: the request as it came, and the surroundings. */
record CallContext(
    PluginConfig config, Map<String, String> environment, PluginHost host, PluginLog log) {
  CallContext {
    environment = Map.copyOf(environment);
  }

  /** Empty when it is not set, because the protocol makes no difference. */
  String variable(String name) {
    return environment.getOrDefault(name, "");
  }
}
