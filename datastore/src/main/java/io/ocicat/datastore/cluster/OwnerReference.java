package io.ocicat.datastore.cluster;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A reference from a Kubernetes object to its owner. Absent texts are empty.
 *
 * @param isController whether the owner is the object's controller; at most one is
 */
public record OwnerReference(
    String apiVersion, String kind, String name, String uid, boolean isController) {

  /** Returns the owner references of an object's metadata; malformed ones are skipped. */
  public static List<OwnerReference> allOf(JsonNode metadata) {
    return metadata
        .path("ownerReferences")
        .valueStream()
        .filter(JsonNode::isObject)
        .map(
            owner ->
                new OwnerReference(
                    owner.path("apiVersion").asString(""),
                    owner.path("kind").asString(""),
                    owner.path("name").asString(""),
                    owner.path("uid").asString(""),
                    owner.path("controller").asBoolean(false)))
        .toList();
  }

  public boolean isOf(String wantedVersion, String wantedKind) {
    return apiVersion.equals(wantedVersion) && kind.equals(wantedKind);
  }
}
