package io.ocicat.daemon.start;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.wire.DaemonClient;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Calls all plugins of a network through a daemon's socket, as a runtime would: to warm up, and to
 * train AOT caches. All must succeed.
 *
 * @param host the network namespace of the calls
 * @param environment of the calls, in addition to each call's own variables
 */
public record NetworkCalls(Path socket, Path host, Map<String, String> environment) {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The requests sent to the plugins, and the final result. */
  private record Attached(List<ObjectNode> requests, Optional<ObjectNode> result) {}

  /** Makes calls with all verbs of every plugin. */
  public void callAll(ObjectNode network, String netns, String ifname) {
    call(plugins(network).getFirst(), "VERSION", netns, ifname);
    if (network.path("cniVersion").asString().equals(SpecVersion.LATEST.text())) {
      plugins(network).forEach(plugin -> call(plugin, "STATUS", netns, ifname));
    }
    Attached attached = attach(network, netns, ifname);
    attached
        .requests()
        .forEach(request -> call(with(request, attached.result()), "CHECK", netns, ifname));
    attached
        .requests()
        .reversed()
        .forEach(request -> call(with(request, attached.result()), "DEL", netns, ifname));
  }

  /** Makes the calls that nearly all calls are: ADD of every plugin, and DEL. */
  public void attachAndDetach(ObjectNode network, String netns, String ifname) {
    Attached attached = attach(network, netns, ifname);
    attached
        .requests()
        .reversed()
        .forEach(request -> call(with(request, attached.result()), "DEL", netns, ifname));
  }

  /** Makes an ADD of every plugin. */
  public void attachOnly(ObjectNode network, String netns, String ifname) {
    attach(network, netns, ifname);
  }

  private Attached attach(ObjectNode network, String netns, String ifname) {
    List<ObjectNode> requests = new ArrayList<>();
    Optional<ObjectNode> result = Optional.empty();
    for (ObjectNode plugin : plugins(network)) {
      requests.add(plugin);
      result = call(with(plugin, result), "ADD", netns, ifname);
    }
    return new Attached(requests, result);
  }

  private static List<ObjectNode> plugins(ObjectNode network) {
    List<ObjectNode> plugins = new ArrayList<>();
    for (JsonNode member : network.path("plugins")) {
      ObjectNode plugin = ((ObjectNode) member).deepCopy();
      plugin.set("cniVersion", network.path("cniVersion"));
      plugin.set("name", network.path("name"));
      if (plugin.path("capabilities").path("portMappings").asBoolean(false)) {
        plugin
            .putObject("runtimeConfig")
            .putArray("portMappings")
            .addObject()
            .put("hostPort", 8080)
            .put("containerPort", 80)
            .put("protocol", "tcp");
      }
      plugins.add(plugin);
    }
    return plugins;
  }

  private static ObjectNode with(ObjectNode plugin, Optional<ObjectNode> result) {
    ObjectNode request = plugin.deepCopy();
    result.ifPresent(it -> request.set("prevResult", it));
    return request;
  }

  private Optional<ObjectNode> call(ObjectNode conf, String verb, String netns, String ifname) {
    Map<String, String> variables = new HashMap<>(environment);
    variables.putAll(
        Map.of(
            CniEnvironment.COMMAND,
            verb,
            CniEnvironment.CONTAINER_ID,
            "rehearsal",
            CniEnvironment.IFNAME,
            ifname,
            CniEnvironment.NETNS,
            netns,
            CniEnvironment.NETNS_OVERRIDE,
            "1",
            CniEnvironment.ARGS,
            "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=rehearsal"));
    String type = conf.path("type").asString();
    try (WireRequest request =
        new WireRequest(
            type,
            variables,
            Json.compactBytes(conf),
            LIMIT,
            System.nanoTime(),
            FilesystemView.own(),
            Optional.of(Fd.open(host, Fd.O_RDONLY, 0)),
            Optional.of(Fd.open(Path.of(netns), Fd.O_RDONLY, 0)))) {
      WireReply answer = new DaemonClient(socket, LIMIT).ask(request);
      if (answer instanceof WireReply.Done done) {
        if (done.reply().exitCode() != 0) {
          throw new IllegalStateException(
              "the daemon failed at %s of %s: %s"
                  .formatted(verb, conf, new String(done.reply().stdout(), UTF_8)));
        }
        return verb.equals("ADD")
            ? Optional.of((ObjectNode) CniJson.parse(done.reply().stdout()))
            : Optional.empty();
      }
      throw new IllegalStateException("the daemon declined %s of %s".formatted(verb, type));
    }
  }
}
