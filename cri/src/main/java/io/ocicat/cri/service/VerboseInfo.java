package io.ocicat.cri.service;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.image.Image;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.pods.SandboxStatus;
import io.ocicat.sandbox.store.SandboxStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What {@code crictl inspect} shows in addition to a status: one JSON text under the key info, with
 * the names that scripts know from other runtimes.
 */
final class VerboseInfo {
  private static final String KEY = "info";
  private static final JsonReader JSON =
      new JsonReader(8 << 20, JsonReader.ANY_NUMBER_OF_TOKENS, DuplicateKeys.LAST_COUNTS);

  private VerboseInfo() {}

  static Map<String, String> of(SandboxStatus sandbox) {
    ObjectNode json = Json.object();
    json.put("pid", sandbox.pid());
    json.put("runtimeHandler", sandbox.runtimeHandler());
    json.put("runtimeType", sandbox.infra());
    json.put("network", sandbox.network());
    json.put("problem", sandbox.problem());
    json.set("config", SandboxStore.toJson(sandbox.config()));
    ObjectNode spec = json.putObject("runtimeSpec");
    spec.put("hostname", sandbox.config().hostname());
    ObjectNode linux = spec.putObject("linux");
    linux.put("cgroupParent", sandbox.config().cgroupParent());
    namespaces(linux.putArray("namespaces"), sandbox);
    return Map.of(KEY, Json.compact(json));
  }

  /** Those that the pod has of its own; each path leads into one. */
  private static void namespaces(ArrayNode namespaces, SandboxStatus sandbox) {
    if (!sandbox.netns().isEmpty()) {
      namespaces.addObject().put("type", "network").put("path", sandbox.netns());
    }
    if (sandbox.pid() == 0) {
      return;
    }
    for (String kind : new String[] {"pid", "ipc", "uts", "mnt"}) {
      namespaces
          .addObject()
          .put("type", kind.equals("mnt") ? "mount" : kind)
          .put("path", "/proc/%d/ns/%s".formatted(sandbox.pid(), kind));
    }
  }

  static Map<String, String> of(ContainerStatus container) {
    ObjectNode json = Json.object();
    json.put("sandboxID", container.sandboxId());
    json.put("pid", container.pid());
    json.put("snapshotKey", container.id());
    ObjectNode config = json.putObject("config");
    config.putObject("metadata").put("name", container.config().metadata().name());
    config.putObject("image").put("image", container.config().image());
    config.set("command", Json.array(container.config().command()));
    config.set("args", Json.array(container.config().args()));
    config.put("log_path", container.config().logPath());
    config.put("tty", container.config().tty());
    config.put("stdin", container.config().stdin());
    specification(container, json);
    return Map.of(KEY, Json.compact(json));
  }

  /** As it was handed to the runtime; absent once the container's bundle is gone. */
  private static void specification(ContainerStatus container, ObjectNode json) {
    if (container.bundle().isEmpty()) {
      return;
    }
    try {
      byte[] text = Files.readAllBytes(Path.of(container.bundle(), "config.json"));
      json.set("runtimeSpec", JSON.parse(text));
    } catch (IOException | JsonSyntaxException _) {
      json.putNull("runtimeSpec");
    }
  }

  static Map<String, String> of(Image image, byte[] rawConfig) {
    ObjectNode json = Json.object();
    json.put("chainID", image.chainIds().isEmpty() ? "" : image.chainIds().getLast().toString());
    try {
      json.set("imageSpec", JSON.parse(rawConfig));
    } catch (JsonSyntaxException _) {
      json.putNull("imageSpec");
    }
    return Map.of(KEY, Json.compact(json));
  }
}
