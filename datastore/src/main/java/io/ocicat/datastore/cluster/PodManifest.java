package io.ocicat.datastore.cluster;

import io.ocicat.base.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes pods as Kubernetes API objects, as far as they are used here. */
public final class PodManifest {
  private PodManifest() {}

  /**
   * Reads a manifest of any origin.
   *
   * @throws IllegalArgumentException when it has no name
   */
  public static Pod read(ObjectNode manifest) {
    JsonNode metadata = manifest.path("metadata");
    JsonNode spec = manifest.path("spec");
    String name = text(metadata, "name");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("metadata.name is missing");
    }
    List<Pod.Port> ports = new ArrayList<>();
    for (String list : List.of("containers", "initContainers")) {
      for (JsonNode container : spec.path(list)) {
        container.path("ports").forEach(port -> ports.add(readPort(port)));
      }
    }
    return new Pod(
        text(metadata, "namespace"),
        name,
        text(metadata, "uid"),
        texts(metadata.path("labels")),
        texts(metadata.path("annotations")),
        text(spec, "serviceAccountName"),
        text(metadata, "generateName"),
        text(spec, "nodeName"),
        ports,
        OwnerReference.allOf(metadata));
  }

  private static Pod.Port readPort(JsonNode port) {
    String protocol = text(port, "protocol");
    return new Pod.Port(
        text(port, "name"),
        protocol.isEmpty() ? "TCP" : protocol,
        port.path("containerPort").asInt(0),
        port.path("hostPort").asInt(0),
        text(port, "hostIP"));
  }

  private static String text(JsonNode parent, String member) {
    return parent.path(member).asString("");
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new LinkedHashMap<>();
    object.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asString("")));
    return texts;
  }

  /** Writes one container for all: which of them serves a port makes no difference here. */
  public static ObjectNode write(Pod pod) {
    ObjectNode manifest = Json.object().put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = manifest.putObject("metadata");
    put(metadata, "name", pod.name());
    put(metadata, "generateName", pod.generateName());
    put(metadata, "namespace", pod.namespace());
    put(metadata, "uid", pod.uid());
    put(metadata, "labels", pod.labels());
    put(metadata, "annotations", pod.annotations());
    for (OwnerReference owner : pod.owners()) {
      metadata
          .withArray("/ownerReferences")
          .addObject()
          .put("apiVersion", owner.apiVersion())
          .put("kind", owner.kind())
          .put("name", owner.name())
          .put("uid", owner.uid())
          .put("controller", owner.isController());
    }
    ObjectNode spec = manifest.putObject("spec");
    ArrayNode ports = spec.putArray("containers").addObject().put("name", "pod").putArray("ports");
    for (Pod.Port port : pod.ports()) {
      ObjectNode written = ports.addObject();
      put(written, "name", port.name());
      if (port.hostPort() != 0) {
        written.put("hostPort", port.hostPort());
      }
      written.put("containerPort", port.port()).put("protocol", port.protocol());
      put(written, "hostIP", port.hostIp());
    }
    put(spec, "serviceAccountName", pod.serviceAccount());
    put(spec, "nodeName", pod.node());
    return manifest;
  }

  private static void put(ObjectNode object, String member, String value) {
    if (!value.isEmpty()) {
      object.put(member, value);
    }
  }

  private static void put(ObjectNode object, String member, Map<String, String> values) {
    if (!values.isEmpty()) {
      ObjectNode written = object.putObject(member);
      values.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(entry -> written.put(entry.getKey(), entry.getValue()));
    }
  }
}
