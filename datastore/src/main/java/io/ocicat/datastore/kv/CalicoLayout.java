package io.ocicat.datastore.kv;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The keys and values of Calico's resources in etcd; the embedded engine holds the same bytes.
 * Resources with metadata are under {@code /calico/resources/v3/projectcalico.org/}, IPAM's records
 * under {@code /calico/ipam/v2/}. Kubernetes' own kinds, which Calico has in Kubernetes only, are
 * under {@code /ocicat/v1/}.
 */
public final class CalicoLayout {
  /** The prefix of every key that Calico knows. */
  public static final String ROOT = "/calico/";

  private static final String RESOURCES = "/calico/resources/v3/projectcalico.org/";

  /** Where Calico finds nothing that it does not know: next to the pods. */
  private static final String OWN = "/ocicat/v1/";

  private static final String IPAM = "/calico/ipam/v2/";
  private static final String BLOCKS = IPAM + "assignment/";
  private static final String HANDLES = IPAM + "handle/";
  private static final String CONFIG = IPAM + "config";

  /** The annotation that holds a policy's own name. */
  private static final String METADATA_ANNOTATION = "projectcalico.org/metadata";

  private CalicoLayout() {}

  /** Returns the path of a resource. */
  public static String path(ResourceKey key) {
    return switch (key) {
      case ResourceKey.Named named ->
          root(named.kind())
              + named.kind().plural()
              + "/"
              + (named.kind().isNamespaced() ? named.namespace() + "/" : "")
              + named.name();
      case ResourceKey.Block block ->
          BLOCKS + IpVersion.of(block.cidr()).text() + "/block/" + dashed(block.cidr());
      case ResourceKey.Affinity affinity ->
          IPAM
              + affinity.type().text()
              + "/"
              + affinity.host()
              + "/"
              + IpVersion.of(affinity.cidr()).text()
              + "/block/"
              + dashed(affinity.cidr());
      case ResourceKey.Handle handle -> HANDLES + handle.id();
      case ResourceKey.IpamConfig _ -> CONFIG;
      case ResourceKey.IpamHost host -> IPAM + AffinityType.HOST.text() + "/" + host.host();
    };
  }

  private static String root(Kind kind) {
    return kind.isOfKubernetes() ? OWN : RESOURCES;
  }

  /** Returns the resource key of a path; empty when it is not a known resource. */
  public static Optional<ResourceKey> parse(String path) {
    try {
      if (path.startsWith(RESOURCES)) {
        return parseNamed(RESOURCES, path);
      }
      if (path.startsWith(OWN)) {
        return parseNamed(OWN, path);
      }
      if (path.startsWith(IPAM)) {
        return parseIpam(path.substring(IPAM.length()).split("/", -1));
      }
      return Optional.empty();
    } catch (IllegalArgumentException | InvalidException _) {
      return Optional.empty();
    }
  }

  private static Optional<ResourceKey> parseNamed(String root, String path) {
    String[] parts = path.substring(root.length()).split("/", -1);
    Optional<Kind> kind =
        Kind.ofPlural(parts[0]).filter(found -> !found.isIpam() && root(found).equals(root));
    int wanted = kind.map(k -> k.isNamespaced() ? 3 : 2).orElse(-1);
    if (parts.length != wanted) {
      return Optional.empty();
    }
    return Optional.of(
        wanted == 3
            ? ResourceKey.of(kind.orElseThrow(), parts[1], parts[2])
            : ResourceKey.of(kind.orElseThrow(), parts[1]));
  }

  private static Optional<ResourceKey> parseIpam(String[] parts) {
    if (parts.length == 1 && parts[0].equals("config")) {
      return Optional.of(new ResourceKey.IpamConfig());
    }
    if (parts.length == 2 && parts[0].equals("handle")) {
      return Optional.of(new ResourceKey.Handle(parts[1]));
    }
    if (parts.length == 2 && parts[0].equals(AffinityType.HOST.text())) {
      return Optional.of(new ResourceKey.IpamHost(parts[1]));
    }
    if (parts.length == 4 && parts[0].equals("assignment") && parts[2].equals("block")) {
      return undashed(parts[3], parts[1]).map(ResourceKey.Block::new);
    }
    if (parts.length == 5 && parts[3].equals("block")) {
      for (AffinityType type : AffinityType.values()) {
        if (parts[0].equals(type.text())) {
          return undashed(parts[4], parts[2])
              .map(cidr -> new ResourceKey.Affinity(type, parts[1], cidr));
        }
      }
    }
    return Optional.empty();
  }

  private static String dashed(IpPrefix cidr) {
    return cidr.address() + "-" + cidr.length();
  }

  private static Optional<IpPrefix> undashed(String text, String version) {
    int dash = text.lastIndexOf('-');
    if (dash < 0) {
      return Optional.empty();
    }
    return IpPrefix.tryParse(text.substring(0, dash) + "/" + text.substring(dash + 1))
        .filter(cidr -> IpVersion.of(cidr).text().equals(version));
  }

  /**
   * Returns the prefixes of the paths that match a query; a path with such a prefix may still not
   * match.
   */
  public static List<String> prefixes(ResourceQuery query) {
    return switch (query) {
      case ResourceQuery.Named named -> List.of(namedPrefix(named));
      case ResourceQuery.Blocks blocks ->
          List.of(BLOCKS + (blocks.version() == null ? "" : blocks.version().text() + "/"));
      case ResourceQuery.Affinities affinities ->
          affinities.type() == null
              ? List.of(affinityPrefix(AffinityType.HOST, affinities), virtualPrefix(affinities))
              : List.of(affinityPrefix(affinities.type(), affinities));
      case ResourceQuery.Handles _ -> List.of(HANDLES);
    };
  }

  private static String namedPrefix(ResourceQuery.Named query) {
    return root(query.kind())
        + query.kind().plural()
        + "/"
        + (query.namespace() == null ? "" : query.namespace() + "/")
        + query.namePrefix();
  }

  private static String virtualPrefix(ResourceQuery.Affinities query) {
    return affinityPrefix(AffinityType.VIRTUAL, query);
  }

  private static String affinityPrefix(AffinityType type, ResourceQuery.Affinities query) {
    StringBuilder prefix = new StringBuilder(IPAM).append(type.text()).append('/');
    if (query.host() != null) {
      prefix.append(query.host()).append('/');
    }
    if (query.version() != null) {
      prefix.append(query.version().text()).append("/block/");
    }
    return prefix.toString();
  }

  /** Returns one prefix for all paths that match, which others may have too. */
  public static String commonPrefix(ResourceQuery query) {
    List<String> prefixes = prefixes(query);
    return prefixes.size() == 1 ? prefixes.getFirst() : IPAM;
  }

  /**
   * Whether a key belongs to something that does not survive the machine: the endpoint of a
   * container, the addresses assigned to it, and the blocks that a host has claimed.
   */
  public static boolean isEphemeral(String path) {
    return path.startsWith(RESOURCES + Kind.WORKLOAD_ENDPOINT.plural() + "/")
        || (path.startsWith(IPAM) && !path.equals(CONFIG));
  }

  /** Encodes an admitted resource. */
  public static String encode(Resource resource) {
    return resource.read(
        content -> {
          if (!resource.kind().isTiered()) {
            return StoredJson.compact(content);
          }
          ObjectNode stored = content.deepCopy();
          ObjectNode metadata = (ObjectNode) stored.get("metadata");
          ObjectNode name = Json.object().put("name", resource.key().name());
          ObjectNode annotations =
              metadata.get("annotations") instanceof ObjectNode some
                  ? some
                  : metadata.putObject("annotations");
          annotations.put(METADATA_ANNOTATION, StoredJson.compact(name));
          return StoredJson.compact(Shapes.canonical(resource.kind(), stored));
        });
  }

  /**
   * Decodes a stored value.
   *
   * @throws CorruptException when it is not a valid resource
   */
  public static Resource decode(ResourceKey key, KeyValue entry) {
    ObjectNode content;
    try {
      // Very old affinities have no value at all.
      boolean empty = key instanceof ResourceKey.Affinity && entry.value().isEmpty();
      content = empty ? Json.object() : StoredJson.parseObject(entry.value());
    } catch (IllegalArgumentException e) {
      throw new CorruptException(
          "%s cannot be read: the value of %s is %s: correct or delete it"
              .formatted(key.describe(), entry.key(), e.getMessage()),
          e);
    }
    if (content.get("metadata") instanceof ObjectNode metadata) {
      metadata.remove("resourceVersion");
      if (key.kind().isTiered() && metadata.get("annotations") instanceof ObjectNode annotations) {
        annotations.remove(METADATA_ANNOTATION);
        if (annotations.isEmpty()) {
          metadata.remove("annotations");
        }
      }
    }
    return Resource.stored(key, content, String.valueOf(entry.modified()));
  }
}
