package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts resources to and from the documents that people read and write. IPAM's own records,
 * which have neither metadata nor spec, are shown as if they had: the key as the name, the record
 * as the spec.
 */
public final class ResourceForm {
  private ResourceForm() {}

  public static ObjectNode document(Resource resource) {
    if (!resource.kind().isIpam()) {
      return resource.toDocument();
    }
    ObjectNode document = Json.object();
    document.put("apiVersion", Resource.API_VERSION).put("kind", resource.kind().text());
    ObjectNode metadata = document.putObject("metadata").put("name", resource.key().name());
    if (!resource.revision().isEmpty()) {
      metadata.put("resourceVersion", resource.revision());
    }
    document.set("spec", resource.content());
    return document;
  }

  /**
   * The resource that a document describes, IPAM's records included.
   *
   * @throws InvalidException when it is not valid
   */
  public static Resource parse(ObjectNode document) {
    Optional<Kind> kind =
        Kind.find(document.path("kind").asString(""))
            .filter(k -> k.isIpam() && k.text().equals(document.path("kind").asString("")));
    if (kind.isEmpty()) {
      return Resource.ofDocument(document);
    }
    JsonNode metadata = document.path("metadata");
    ResourceKey key = key(kind.get(), "", metadata.path("name").asString(""));
    if (!(document.get("spec") instanceof ObjectNode content)) {
      throw new InvalidException(key.describe() + " has no spec");
    }
    return Resource.of(key, content).withRevision(metadata.path("resourceVersion").asString(""));
  }

  /** The key of a displayed name. */
  public static ResourceKey key(Kind kind, String namespace, String name) {
    return switch (kind) {
      case IPAM_BLOCK -> new ResourceKey.Block(cidr(kind, name, name));
      case IPAM_HANDLE -> new ResourceKey.Handle(name);
      case IPAM_CONFIG -> new ResourceKey.IpamConfig();
      case IPAM_HOST -> new ResourceKey.IpamHost(name);
      case BLOCK_AFFINITY -> affinity(name);
      default -> ResourceKey.of(kind, kind.isNamespaced() ? namespace : "", name);
    };
  }

  private static ResourceKey affinity(String name) {
    String[] parts = name.split(":", 3);
    for (AffinityType type : AffinityType.values()) {
      if (parts.length == 3 && parts[0].equals(type.text())) {
        return new ResourceKey.Affinity(type, parts[1], cidr(Kind.BLOCK_AFFINITY, name, parts[2]));
      }
    }
    throw new InvalidException(
        "%s is not the name of a BlockAffinity, as in host:node-1:10.65.0.0/26"
            .formatted(Quoted.brief(name)));
  }

  private static IpPrefix cidr(Kind kind, String name, String text) {
    return IpPrefix.tryParse(text)
        .orElseThrow(
            () ->
                new InvalidException(
                    "%s is not the name of an %s, as in 10.65.0.0/26"
                        .formatted(Quoted.brief(name), kind)));
  }
}
