package io.ocicat.cli.check;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The nodes and pods of a cluster, as its datastore has them.
 *
 * @param nodes addresses by name
 * @param pods by namespace/name
 * @param leases the subnets that flannel has leased to nodes; empty where there is no flannel
 */
public record ClusterPeers(
    Map<String, List<IpAddress>> nodes, Map<String, Pod> pods, Optional<List<IpPrefix>> leases) {
  private static final String FLANNEL = "/coreos.com/network/";
  private static final String LEASES = FLANNEL + "subnets/";

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
      return new ClusterPeers(Map.of(), Map.of(), Optional.empty());
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
    return new ClusterPeers(nodes, pods, leases(datastore));
  }

  /** The keys of leases are {@code 10.65.3.0-24}, with both families {@code …&fd65:0:0:3::-64}. */
  private static Optional<List<IpPrefix>> leases(Datastore datastore) {
    if (!(datastore instanceof KeyValueDatastore keys)) {
      return Optional.empty();
    }
    List<KeyValue> entries = keys.store().range(RangeQuery.all(FLANNEL)).entries();
    return entries.isEmpty()
        ? Optional.empty()
        : Optional.of(
            entries.stream()
                .map(KeyValue::key)
                .filter(key -> key.startsWith(LEASES))
                .flatMap(key -> Stream.of(key.substring(LEASES.length()).split("&")))
                .flatMap(text -> IpPrefix.tryParse(text.replaceFirst("-(\\d+)$", "/$1")).stream())
                .toList());
  }

  /**
   * With pods that the datastore does not know, as those of flannel.
   *
   * @param others by node and name, the addresses
   */
  public ClusterPeers withPods(JsonNode others) {
    Map<String, Pod> all = new TreeMap<>(pods);
    others.forEachEntry(
        (node, named) ->
            named.forEachEntry(
                (name, list) -> {
                  Set<IpAddress> addresses = new LinkedHashSet<>();
                  list.forEach(address -> parse(address, addresses));
                  all.putIfAbsent(name, new Pod(node, List.copyOf(addresses)));
                }));
    return new ClusterPeers(nodes, all, leases);
  }

  /** Whether there is flannel, and no node has a lease with this address. */
  public boolean isWithoutLease(IpAddress pod) {
    return leases.isPresent() && leases.get().stream().noneMatch(lease -> lease.contains(pod));
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
