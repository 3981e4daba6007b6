package io.ocicat.cli.check;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The nodes and pods of a cluster, as its datastore has them.
 *
 * @param nodes addresses by name
 * @param pods by namespace/name
 */
public record ClusterPeers(Map<String, List<IpAddress>> nodes, Map<String, Pod> pods) {

  /**
   * A pod of the cluster.
   *
   * @param node the node that it is on
   */
  public record Pod(String node, List<IpAddress> addresses) {
    public Pod {
      addresses = List.copyOf(addresses);
    }
  }

  public ClusterPeers {
    nodes = new TreeMap<>(nodes);
    pods = new TreeMap<>(pods);
  }

  /**
   * Reads a datastore; one that is embedded and was never used is not created.
   *
   * @throws DatastoreException when it cannot be read
   */
  public static ClusterPeers read(DatastoreConfig config) {
    if (config instanceof DatastoreConfig.Embedded(Path directory)
        && Files.notExists(directory.resolve("datastore.db"))) {
      return new ClusterPeers(Map.of(), Map.of());
    }
    try (Datastore datastore = Datastores.openOwn(config)) {
      return read(datastore);
    }
  }

  private static ClusterPeers read(Datastore datastore) {
    Map<String, List<IpAddress>> nodes = new TreeMap<>();
    for (Resource node : datastore.list(ResourceQuery.of(Kind.NODE)).items()) {
      nodes.put(node.key().name(), node.read(json -> addressesOfNode(json.path("spec"))));
    }
    Map<String, Pod> pods = new TreeMap<>();
    for (Resource endpoint : datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()) {
      String namespace = ((ResourceKey.Named) endpoint.key()).namespace();
      endpoint.read(
          json -> {
            JsonNode spec = json.path("spec");
            String name = spec.path("pod").asString(spec.path("workload").asString(""));
            // One with several interfaces has an endpoint for each.
            return pods.merge(namespace + "/" + name, pod(spec), ClusterPeers::both);
          });
    }
    return new ClusterPeers(nodes, pods);
  }

  /** Those that other nodes send to. */
  private static List<IpAddress> addressesOfNode(JsonNode spec) {
    Set<IpAddress> found = new LinkedHashSet<>();
    parse(spec.at("/bgp/ipv4Address"), found);
    parse(spec.at("/bgp/ipv6Address"), found);
    if (found.isEmpty()) {
      spec.path("addresses").forEach(entry -> parse(entry.path("address"), found));
    }
    return List.copyOf(found);
  }

  private static Pod pod(JsonNode spec) {
    Set<IpAddress> addresses = new LinkedHashSet<>();
    spec.path("ipNetworks").forEach(network -> parse(network, addresses));
    return new Pod(spec.path("node").asString(""), List.copyOf(addresses));
  }

  private static Pod both(Pod one, Pod other) {
    return new Pod(
        one.node(),
        Stream.concat(one.addresses().stream(), other.addresses().stream()).distinct().toList());
  }

  /** With or without the length of a prefix. */
  private static void parse(JsonNode text, Set<IpAddress> found) {
    IpAddress.tryParse(text.asString("").replaceFirst("/.*", "")).ifPresent(found::add);
  }
}
