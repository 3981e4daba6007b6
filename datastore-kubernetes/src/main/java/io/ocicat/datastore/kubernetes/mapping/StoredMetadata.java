package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Encodes a resource's metadata for the group crd.projectcalico.org/v1: as JSON in an annotation.
 * The custom resource's own metadata has only what the API server needs, and labels and annotations
 * of Calico's own.
 */
public final class StoredMetadata {
  public static final String ANNOTATION = "projectcalico.org/metadata";
  private static final List<String> CALICOS = List.of("projectcalico.org/", "operator.tigera.io/");

  /** Metadata that the API server itself acts upon. */
  private static final List<String> EFFECTIVE = List.of("finalizers", "ownerReferences");

  private StoredMetadata() {}

  /** Returns the custom resource's metadata for that of a resource. */
  public static ObjectNode encode(Kind kind, ObjectNode metadata) {
    ObjectNode stored = Json.object();
    stored.put("name", metadata.path("name").asString(""));
    put(stored, "namespace", metadata.path("namespace").asString(""));
    put(stored, "uid", CrdUids.swap(metadata.path("uid").asString("")));
    ObjectNode labels = calicos(metadata.path("labels"));
    if (!labels.isEmpty()) {
      stored.set("labels", labels);
    }
    ObjectNode kept = metadata.deepCopy();
    kept.remove(List.of("namespace", "uid", "resourceVersion"));
    if (!kind.isTiered()) {
      kept.remove("name");
    }
    stored
        .set("annotations", calicos(metadata.path("annotations")))
        .withObject("/annotations")
        .put(ANNOTATION, StoredJson.compact(kept));
    for (String member : EFFECTIVE) {
      if (metadata.has(member)) {
        stored.set(member, swapOwners(metadata.get(member), Resource.API_VERSION, ApiGroup.V1));
      }
    }
    return stored;
  }

  /**
   * Returns the stored metadata.
   *
   * @throws IllegalArgumentException when the annotation cannot be read
   */
  public static ObjectNode decode(ObjectNode stored) {
    JsonNode annotation = stored.path("annotations").path(ANNOTATION);
    ObjectNode metadata =
        annotation.isString()
            ? StoredJson.parseObject(annotation.stringValue())
            : stored.deepCopy();
    metadata.remove(List.of("managedFields", "resourceVersion", "selfLink"));
    metadata.put("name", stored.path("name").asString(""));
    put(metadata, "namespace", stored.path("namespace").asString(""));
    put(metadata, "uid", CrdUids.swap(stored.path("uid").asString("")));
    merge(stored, metadata, "labels");
    merge(stored, metadata, "annotations");
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      annotations.remove(ANNOTATION);
      if (annotations.isEmpty()) {
        metadata.remove("annotations");
      }
    }
    if (metadata.path("creationTimestamp").asString("").isEmpty()
        && stored.has("creationTimestamp")) {
      metadata.set("creationTimestamp", stored.get("creationTimestamp"));
    }
    if (stored.has("deletionTimestamp")) {
      metadata.set("deletionTimestamp", stored.get("deletionTimestamp"));
    }
    for (String member : EFFECTIVE) {
      if (stored.has(member)) {
        metadata.set(member, swapOwners(stored.get(member), ApiGroup.V1.apiVersion(), ApiGroup.V3));
      }
    }
    return metadata;
  }

  /** The annotation takes precedence. */
  private static void merge(ObjectNode stored, ObjectNode metadata, String member) {
    if (!(stored.get(member) instanceof ObjectNode own)) {
      return;
    }
    ObjectNode merged = own.deepCopy();
    if (metadata.get(member) instanceof ObjectNode kept) {
      merged.setAll(kept);
    }
    metadata.set(member, merged);
  }

  private static ObjectNode calicos(JsonNode texts) {
    ObjectNode chosen = Json.object();
    for (Map.Entry<String, JsonNode> entry : texts.properties()) {
      if (CALICOS.stream().anyMatch(entry.getKey()::contains)) {
        chosen.set(entry.getKey(), entry.getValue());
      }
    }
    return chosen;
  }

  /** Converts owners between the groups, whose UIDs differ too. */
  private static JsonNode swapOwners(JsonNode owners, String from, ApiGroup to) {
    JsonNode swapped = owners.deepCopy();
    for (JsonNode owner : swapped) {
      if (owner instanceof ObjectNode one && one.path("apiVersion").asString("").equals(from)) {
        one.put("apiVersion", to.apiVersion());
        one.put("uid", CrdUids.swap(one.path("uid").asString("")));
      }
    }
    return swapped;
  }

  private static void put(ObjectNode object, String member, String value) {
    if (!value.isEmpty()) {
      object.put(member, value);
    }
  }
}
