package io.ocicat.sandbox.network;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.runtime.Container;
import io.ocicat.sandbox.PodMetadata;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How a pod is, or is going to be, attached to its network: everything that detaching it needs. A
 * caller that stores it before {@link PodNetworks#setUp} can undo that whatever happens, even when
 * the configuration has changed meanwhile.
 *
 * @param netns the path of its network namespace; empty when that is gone
 * @param list the network's configuration
 * @param capabilityArgs by capability
 */
public record PodAttachment(
    PodMetadata pod,
    String sandboxId,
    String netns,
    ObjectNode list,
    Map<String, JsonNode> capabilityArgs) {
  static final String INTERFACE = "eth0";

  public PodAttachment {
    list = list.deepCopy();
    capabilityArgs = Collections.unmodifiableMap(new LinkedHashMap<>(capabilityArgs));
  }

  public String network() {
    return list.path("name").asString("");
  }

  /** Returns the plugin of that type in the list, if it has one. */
  public Optional<ObjectNode> plugin(String type) {
    for (JsonNode plugin : list.path("plugins")) {
      if (plugin instanceof ObjectNode found && found.path("type").asString("").equals(type)) {
        return Optional.of(found.deepCopy());
      }
    }
    return Optional.empty();
  }

  ConfigList config() {
    return ConfigList.parse(Json.compactBytes(list));
  }

  /** The container as plugins see it. */
  Container container(String netnsNow) {
    Container container =
        Container.of(sandboxId, netnsNow)
            .ifName(INTERFACE)
            .arg("IgnoreUnknown", "1")
            .arg("K8S_POD_NAMESPACE", pod.namespace())
            .arg("K8S_POD_NAME", pod.name())
            .arg("K8S_POD_INFRA_CONTAINER_ID", sandboxId)
            .arg("K8S_POD_UID", pod.uid());
    for (Map.Entry<String, JsonNode> argument : capabilityArgs.entrySet()) {
      container = container.capability(argument.getKey(), argument.getValue());
    }
    return container;
  }

  /** Writes what {@link #read} reads; the pod and the ids are stored elsewhere. */
  public ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.set("list", list.deepCopy());
    ObjectNode arguments = json.putObject("capabilityArgs");
    capabilityArgs.forEach((name, value) -> arguments.set(name, value.deepCopy()));
    return json;
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws CniException when it is damaged
   */
  public static PodAttachment read(PodMetadata pod, String sandboxId, String netns, JsonFields in) {
    Map<String, JsonNode> arguments = new LinkedHashMap<>();
    JsonFields given = in.object("capabilityArgs");
    for (String name : given.names()) {
      given.value(name).raw().ifPresent(value -> arguments.put(name, value));
    }
    ObjectNode list =
        in.value("list").raw().orElseGet(Json::object) instanceof ObjectNode object
            ? object
            : Json.object();
    return new PodAttachment(pod, sandboxId, netns, list, arguments);
  }
}
