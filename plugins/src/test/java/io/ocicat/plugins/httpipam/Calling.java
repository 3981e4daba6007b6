package io.ocicat.plugins.httpipam;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.PluginHost;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Calls the plugin for one attachment, like a delegating plugin. */
record Calling(ObjectNode config, Map<String, String> variables, Duration limit) {
  Calling {
    variables = Map.copyOf(variables);
  }

  static Calling of(ObjectNode config, String containerId) {
    return new Calling(
        config,
        Map.of(
            "CNI_CONTAINERID", containerId,
            "CNI_IFNAME", "eth0",
            "CNI_NETNS", "/run/netns/none",
            "CNI_PATH", "/opt/cni/bin"),
        Duration.ofSeconds(60));
  }

  Calling with(String variable, String value) {
    Map<String, String> changed = new HashMap<>(variables);
    changed.put(variable, value);
    return new Calling(config, changed, limit);
  }

  Calling within(Duration newLimit) {
    return new Calling(config, variables, newLimit);
  }

  PluginReply run(String verb) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("CNI_COMMAND", verb);
    PluginReply reply =
        Dispatcher.dispatch(
            new HttpIpamPlugin(),
            PluginHost.process().withDeadline(Deadline.in(limit)),
            environment,
            Json.compactBytes(config));
    assertThat(new String(reply.stdout(), UTF_8) + reply.stderr())
        .as("whatever happens, nobody sees the token")
        .doesNotContain(RunningServer.TOKEN);
    return reply;
  }

  JsonNode ok(String verb) {
    PluginReply reply = run(verb);
    String stdout = new String(reply.stdout(), UTF_8);
    assertThat(reply.exitCode()).as("%s: %s %s", verb, stdout, reply.stderr()).isZero();
    return stdout.isEmpty() ? Json.object() : CniJson.parse(stdout);
  }

  CniException error(String verb) {
    PluginReply reply = run(verb);
    assertThat(reply.exitCode()).as("%s %s", verb, new String(reply.stdout(), UTF_8)).isEqualTo(1);
    return CniException.fromJson(CniJson.parse(reply.stdout()));
  }
}
