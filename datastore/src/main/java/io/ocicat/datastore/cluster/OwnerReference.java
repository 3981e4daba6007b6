package io.ocicat.datastore.cluster;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * What an object of Kubernetes belongs to. Texts that are not given are empty.
 *
 * @param isController whether that one looks after the object; of all owners one does at most
 */
public record OwnerReference(
    String apiVersion, String kind, String name, String uid, boolean isController) {

  /** Those that an object's metadata names; what is none of them is passed over. */
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
