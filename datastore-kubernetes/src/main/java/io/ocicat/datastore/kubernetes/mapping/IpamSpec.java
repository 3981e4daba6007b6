package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts IPAM's records to specs of custom resources, where some members have other names than in
 * etcd and the key is part of the value. Unknown members are the same in both.
 */
public final class IpamSpec {
  private static final String DELETED = "deleted";

  /** Names in etcd and in custom resources, where they differ. */
  private static final Map<Kind, Map<String, String>> NAMES =
      Map.of(
          Kind.IPAM_BLOCK,
          Map.of("affinity_claim_time", "affinityClaimTime"),
          Kind.IPAM_CONFIG,
          Map.of(
              "strict_affinity", "strictAffinity", "auto_allocate_blocks", "autoAllocateBlocks"));

  private IpamSpec() {}

  public static ObjectNode encode(ResourceKey key, ObjectNode record, ApiGroup group) {
    ObjectNode spec = Json.object();
    switch (key) {
      case ResourceKey.Handle handle -> spec.put("handleID", handle.id());
      case ResourceKey.Affinity affinity ->
          spec.put("node", affinity.host())
              .put("type", affinity.type().text())
              .put("cidr", affinity.cidr().toString());
      case ResourceKey.IpamConfig _ ->
          spec.put("strictAffinity", false).put("autoAllocateBlocks", false);
      default -> {}
    }
    Map<String, String> names = NAMES.getOrDefault(key.kind(), Map.of());
    for (Map.Entry<String, JsonNode> member : record.properties()) {
      // Schemas allow null only among allocations.
      if (!member.getValue().isNull()) {
        spec.set(
            names.getOrDefault(member.getKey(), member.getKey()), member.getValue().deepCopy());
      }
    }
    switch (key.kind()) {
      case IPAM_BLOCK -> spec.put("strictAffinity", false).remove("hostAffinity");
      case BLOCK_AFFINITY -> mark(spec, isMarked(spec), Kind.BLOCK_AFFINITY, group);
      default -> {}
    }
    return spec;
  }

  public static ObjectNode decode(Kind kind, ObjectNode spec) {
    ObjectNode record = spec.deepCopy();
    switch (kind) {
      case IPAM_BLOCK -> record.remove("strictAffinity");
      case IPAM_HANDLE -> record.remove("handleID");
      case BLOCK_AFFINITY -> {
        record.remove(List.of("node", "type", "cidr"));
        record.put(DELETED, isMarked(spec));
      }
      default -> {}
    }
    NAMES
        .getOrDefault(kind, Map.of())
        .forEach(
            (etcd, custom) -> {
              JsonNode value = record.remove(custom);
              if (value != null) {
                record.set(etcd, value);
              }
            });
    return Shapes.canonical(kind, record);
  }

  /**
   * Returns the key in a spec.
   *
   * @throws IllegalArgumentException when it has none
   */
  public static ResourceKey key(Kind kind, ObjectNode spec) {
    return switch (kind) {
      case IPAM_BLOCK -> new ResourceKey.Block(cidr(spec));
      case BLOCK_AFFINITY ->
          new ResourceKey.Affinity(
              spec.path("type").asString("").equals(AffinityType.VIRTUAL.text())
                  ? AffinityType.VIRTUAL
                  : AffinityType.HOST,
              text(spec, "node"),
              cidr(spec));
      case IPAM_HANDLE -> new ResourceKey.Handle(text(spec, "handleID"));
      case IPAM_CONFIG -> new ResourceKey.IpamConfig();
      default -> throw new IllegalArgumentException(kind + " is not an IPAM kind");
    };
  }

  private static IpPrefix cidr(ObjectNode spec) {
    String text = text(spec, "cidr");
    return IpPrefix.tryParse(text)
        .orElseThrow(
            () -> new IllegalArgumentException("spec.cidr \"%s\" is not a CIDR".formatted(text)));
  }

  private static String text(ObjectNode spec, String member) {
    String text = spec.path(member).asString("");
    if (text.isEmpty()) {
      throw new IllegalArgumentException("spec.%s is missing".formatted(member));
    }
    return text;
  }

  /**
   * Kinds that are marked before they are deleted, because Calico's API never compared revisions.
   */
  public static boolean isMarkedFirst(Kind kind) {
    return kind == Kind.IPAM_BLOCK || kind == Kind.BLOCK_AFFINITY || kind == Kind.IPAM_HANDLE;
  }

  /** Whether it is marked as deleted. */
  public static boolean isMarked(JsonNode spec) {
    return spec.path(DELETED).asString("").equals("true");
  }

  public static void mark(ObjectNode spec, boolean deleted, Kind kind, ApiGroup group) {
    if (kind == Kind.BLOCK_AFFINITY && group == ApiGroup.V1) {
      spec.put(DELETED, String.valueOf(deleted));
    } else {
      spec.put(DELETED, deleted);
    }
  }
}
