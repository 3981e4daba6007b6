package io.ocicat.daemon.start;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginCall;
import io.ocicat.daemon.server.DaemonEvents;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * Connects to the datastore of every network once at start, as STATUS does, so that the first call
 * finds connections that are open and authenticated. A server that does not reply fails the calls;
 * here it is only a line in the log.
 */
record FirstConnections(CallRunner runner, Map<String, String> environment, DaemonEvents events) {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  void open(NamedPlugins named) {
    for (ObjectNode plugin : named.withServers(runner::plugin)) {
      try {
        status(plugin).failure().ifPresent(error -> note(plugin, error.msg()));
      } catch (RuntimeException e) {
        note(plugin, String.valueOf(e.getMessage()));
      }
    }
  }

  private PluginReply status(ObjectNode plugin) {
    ObjectNode request = plugin.deepCopy().put("cniVersion", SpecVersion.LATEST.text());
    Map<String, String> variables = new HashMap<>(environment);
    variables.put(CniEnvironment.COMMAND, Verb.STATUS.name());
    variables.put(CniEnvironment.PATH, System.getProperty("ocicat.home") + "/cni");
    String type = plugin.path("type").asString();
    return runner.run(
        PluginCall.own(
            type,
            runner.plugin(type).orElseThrow(),
            variables,
            PluginStdin.of(Json.compactBytes(request)),
            Deadline.in(LIMIT)),
        () -> false);
  }

  private void note(ObjectNode plugin, String why) {
    events.note(
        "not connected yet to the datastore of network \"%s\": %s"
            .formatted(plugin.path("name").asString(""), why));
  }
}
