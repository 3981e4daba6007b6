package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Converts resources to custom resources of one of the groups, and back. */
public record CustomLayout(ApiGroup group) {

  public ApiPath collection(Kind kind) {
    return new ApiPath(group.group(), group.version(), group.backing(kind).plural(), "", "", "");
  }

  /** Returns the API path of a resource. */
  public ApiPath path(ResourceKey key) {
    return collection(key.kind()).in(key.namespace()).named(CustomNames.of(key));
  }

  /** Encodes an admitted resource. The revision of a new one is empty. */
  public ObjectNode encode(Resource resource) {
    ObjectNode content = resource.content();
    ResourceKey key = resource.key();
    ObjectNode custom =
        Json.object()
            .put("apiVersion", group.apiVersion())
            .put("kind", group.backing(key.kind()).text());
    ObjectNode metadata =
        key.kind().isIpam() ? ipamMetadata(key) : (ObjectNode) content.get("metadata");
    ObjectNode stored =
        group == ApiGroup.V1 ? StoredMetadata.encode(key.kind(), metadata) : verbatim(metadata);
    if (!resource.revision().isEmpty()) {
      stored.put("resourceVersion", resource.revision());
    }
    custom.set("metadata", stored);
    if (key.kind().isIpam()) {
      custom.set("spec", IpamSpec.encode(key, content, group));
    } else {
      content.remove(List.of("kind", "apiVersion", "metadata"));
      custom.setAll(content);
    }
    return custom;
  }

  private static ObjectNode ipamMetadata(ResourceKey key) {
    ObjectNode metadata =
        Json.object().put("name", CustomNames.of(key)).putNull("creationTimestamp");
    if (key instanceof ResourceKey.Affinity affinity) {
      ObjectNode labels = metadata.putObject("labels");
      CustomNames.labels(affinity).forEach(labels::put);
    }
    return metadata;
  }

  /** The server sets the UID and creation time of a new one. */
  private static ObjectNode verbatim(ObjectNode metadata) {
    ObjectNode copy = metadata.deepCopy();
    copy.remove("managedFields");
    if (copy.path("creationTimestamp").isNull()) {
      copy.remove("creationTimestamp");
    }
    return copy;
  }

  /**
   * Returns the key of a custom resource.
   *
   * @throws CorruptException when it cannot be determined
   */
  public ResourceKey key(Kind kind, ObjectNode custom) {
    ObjectNode metadata = JsonTrees.metadata(custom);
    try {
      return kind.isIpam()
          ? IpamSpec.key(kind, JsonTrees.object(custom, "spec"))
          : ResourceKey.of(
              kind, metadata.path("namespace").asString(""), metadata.path("name").asString(""));
    } catch (IllegalArgumentException | InvalidException e) {
      throw corrupt(kind, metadata, e);
    }
  }

  /**
   * Decodes a custom resource.
   *
   * @throws CorruptException when it is invalid
   */
  public Resource decode(Kind kind, ObjectNode custom) {
    ResourceKey key = key(kind, custom);
    ObjectNode metadata = JsonTrees.metadata(custom);
    String revision = metadata.path("resourceVersion").asString("");
    if (kind.isIpam()) {
      return Resource.stored(
          key, IpamSpec.decode(kind, JsonTrees.object(custom, "spec")), revision);
    }
    ObjectNode content = custom.deepCopy();
    content.put("kind", kind.text()).put("apiVersion", Resource.API_VERSION);
    try {
      content.set(
          "metadata", group == ApiGroup.V1 ? StoredMetadata.decode(metadata) : shown(metadata));
    } catch (IllegalArgumentException e) {
      throw corrupt(kind, metadata, e);
    }
    return ResourceAdmission.asRead(
        Resource.stored(key, Shapes.canonical(kind, content), revision));
  }

  private static ObjectNode shown(ObjectNode metadata) {
    ObjectNode copy = metadata.deepCopy();
    copy.remove(List.of("managedFields", "resourceVersion", "selfLink"));
    return copy;
  }

  private CorruptException corrupt(Kind kind, ObjectNode metadata, RuntimeException e) {
    return new CorruptException(
        "%s %s of %s cannot be read: %s: correct or delete it"
            .formatted(
                group.backing(kind).text(),
                metadata.path("name").asString(""),
                group.apiVersion(),
                e.getMessage()),
        e);
  }
}
