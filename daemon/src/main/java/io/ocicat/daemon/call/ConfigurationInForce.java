package io.ocicat.daemon.call;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.runtime.ConfDirectory;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.plugins.resident.ServerClient;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Updates a recorded request with the network's current configuration. The record says what the
 * attachment is; but only the network's current configuration knows how to reach a datastore or
 * server that has moved meanwhile, and with which credentials. Without a current configuration the
 * record alone counts.
 */
record ConfigurationInForce(CniFolders folders, Function<String, Optional<Plugin>> plugins) {
  byte[] requestOf(CallRecord record) {
    try {
      PluginConfig recorded = PluginConfig.ofRequest(record.stdin());
      Optional<PluginConfig> present = present(recorded);
      if (present.isEmpty()) {
        return record.stdin();
      }
      ObjectNode request = recorded.json();
      ObjectNode current = present.get().json();
      server(record.plugin()).ifPresent(plugin -> plugin.updateServer(request, current));
      if (recorded.ipamType().equals(present.get().ipamType())) {
        server(recorded.ipamType()).ifPresent(ipam -> ipam.updateServer(request, current));
      }
      SecretRedaction.putBack(request, current);
      return Json.compactBytes(request);
    } catch (CniException _) {
      return record.stdin();
    }
  }

  /** Whether the secrets that were left out of the record can be found again. */
  boolean hasSecretsOf(PluginCall call, CallRecord record) {
    if (!SecretRedaction.of(System.getenv()).entrySet().containsAll(secrets(call))) {
      return false;
    }
    if (Arrays.equals(record.stdin(), call.stdin().bytes())) {
      return true;
    }
    try {
      JsonNode before = CniJson.parse(call.stdin().bytes());
      return CniJson.parse(requestOf(record)).equals(before);
    } catch (CniException _) {
      return false;
    }
  }

  private static Set<Map.Entry<String, String>> secrets(PluginCall call) {
    return SecretRedaction.of(call.environment()).entrySet();
  }

  private Optional<ServerClient> server(String plugin) {
    return plugins
        .apply(plugin)
        .filter(ServerClient.class::isInstance)
        .map(ServerClient.class::cast);
  }

  /** The plugin of the same type in the network's configuration file. */
  private Optional<PluginConfig> present(PluginConfig recorded) {
    if (recorded.name().isEmpty()) {
      return Optional.empty();
    }
    try {
      return new ConfDirectory(folders.conf())
          .load(recorded.name()).list().plugins().stream()
              .filter(plugin -> plugin.type().equals(recorded.type()))
              .findFirst();
    } catch (CniException _) {
      return Optional.empty();
    }
  }
}
