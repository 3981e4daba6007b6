package io.ocicat.agent.view;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A workload endpoint of this node.
 *
 * @param interfaceName the host end of its veth pair
 * @param mac of the container end; null when it is not known
 * @param networks its addresses
 * @param floating addresses that are translated to one of its own
 * @param maySpoof whether it may send from addresses that are not its own
 * @param labels of the endpoint, for BGP peers that are selected by them
 * @param created when it was created, RFC 3339; empty when not known
 */
public record LocalEndpoint(
    ResourceKey key,
    String node,
    String interfaceName,
    @Nullable MacAddress mac,
    List<IpPrefix> networks,
    List<FloatingAddress> floating,
    boolean maySpoof,
    Map<String, String> labels,
    String created) {

  /** An address outside that stands for one of the endpoint's. */
  public record FloatingAddress(IpAddress external, IpAddress internal) {}

  public LocalEndpoint {
    networks = List.copyOf(networks);
    floating = List.copyOf(floating);
    labels = Map.copyOf(labels);
  }

  /** Empty for an endpoint that has no interface yet. */
  public static Optional<LocalEndpoint> of(Resource resource) {
    return resource.read(document -> read(resource.key(), resource.labels(), document));
  }

  /** The node that a stored endpoint says it is on. */
  static String nodeOf(Resource resource) {
    return resource.text("spec", "node").orElse("");
  }

  private static Optional<LocalEndpoint> read(
      ResourceKey key, Map<String, String> labels, ObjectNode document) {
    JsonNode spec = document.path("spec");
    String interfaceName = spec.path("interfaceName").asString("");
    List<IpPrefix> networks = new ArrayList<>();
    for (JsonNode item : spec.path("ipNetworks").values()) {
      IpPrefix.tryParse(item.asString("")).ifPresent(networks::add);
    }
    List<FloatingAddress> floating = new ArrayList<>();
    for (JsonNode item : spec.path("ipNATs").values()) {
      Optional<IpAddress> external = IpAddress.tryParse(item.path("externalIP").asString(""));
      Optional<IpAddress> internal = IpAddress.tryParse(item.path("internalIP").asString(""));
      if (external.isPresent()
          && internal.isPresent()
          && external.get().isV4() == internal.get().isV4()) {
        floating.add(new FloatingAddress(external.get(), internal.get()));
      }
    }
    return interfaceName.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new LocalEndpoint(
                key,
                spec.path("node").asString(""),
                interfaceName,
                MacAddress.tryParse(spec.path("mac").asString("")).orElse(null),
                networks,
                floating,
                !spec.path("allowSpoofedSourcePrefixes").isEmpty(),
                labels,
                document.path("metadata").path("creationTimestamp").asString("")));
  }
}
