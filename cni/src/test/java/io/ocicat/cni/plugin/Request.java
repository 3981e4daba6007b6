package io.ocicat.cni.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import java.util.HashMap;
import java.util.Map;

/** Builds a complete request, of which tests remove or change a part. */
record Request(Map<String, String> environment, String stdin) {
  static final String CONFIG = "{\"cniVersion\":\"1.1.0\",\"name\":\"edge-net\",\"type\":\"test\"}";

  static Request of(Verb verb) {
    return new Request(
        Map.of(
            "CNI_COMMAND", verb.name(),
            "CNI_CONTAINERID", "c42",
            "CNI_NETNS", "/run/netns/no-such-namespace",
            "CNI_IFNAME", "eth0",
            "CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAME=web-0",
            "CNI_PATH", "/opt/cni/bin:/usr/lib/cni"),
        CONFIG);
  }

  Request with(String variable, String value) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(variable, value);
    return new Request(changed, stdin);
  }

  Request without(String... variables) {
    Map<String, String> changed = new HashMap<>(environment);
    for (String variable : variables) {
      changed.remove(variable);
    }
    return new Request(changed, stdin);
  }

  Request stdin(String text) {
    return new Request(environment, text);
  }

  Request version(String cniVersion) {
    return stdin("{\"cniVersion\":\"%s\",\"name\":\"edge-net\"}".formatted(cniVersion));
  }

  PluginReply to(Plugin plugin) {
    return to(plugin, PluginHost.process());
  }

  PluginReply to(Plugin plugin, PluginHost host) {
    return Dispatcher.dispatch(plugin, host, environment, stdin.getBytes(UTF_8));
  }

  /** The plugin's error; that there is one is part of the test. */
  CniException failure(Plugin plugin) {
    return failureIn(to(plugin));
  }

  static CniException failureIn(PluginReply reply) {
    if (reply.exitCode() != 1) {
      throw new AssertionError(
          "exit code %d, stdout %s".formatted(reply.exitCode(), stdout(reply)));
    }
    return CniException.fromJson(CniJson.parse(reply.stdout()));
  }

  static String stdout(PluginReply reply) {
    return new String(reply.stdout(), UTF_8);
  }
}
