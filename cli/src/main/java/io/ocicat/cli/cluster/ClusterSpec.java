package io.ocicat.cli.cluster;

import io.ocicat.base.json.Json;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a cluster was asked to be.
 *
 * @param nodes how many it begins with
 * @param pods how many each of them begins with
 */
public record ClusterSpec(
    String name,
    ClusterNetwork network,
    ClusterDatastore datastore,
    boolean dualStack,
    int nodes,
    int pods) {
  static final int MOST_NODES = 50;
  static final int MOST_PODS = 50;

  /** In one phrase. */
  String describe() {
    return "%s, network %s%s, %s datastore"
        .formatted(
            count(nodes, "node"),
            network.label(),
            dualStack ? " with IPv4 and IPv6" : "",
            datastore.label());
  }

  /** As in 1 pod, 2 pods. */
  static String count(int number, String things) {
    return "%d %s%s".formatted(number, things, number == 1 ? "" : "s");
  }

  ObjectNode toJson() {
    return Json.object()
        .put("name", name)
        .put("network", network.label())
        .put("datastore", datastore.label())
        .put("dualStack", dualStack)
        .put("nodes", nodes)
        .put("pods", pods);
  }

  static ClusterSpec read(JsonNode json) {
    return new ClusterSpec(
        json.path("name").asString(),
        ClusterNetwork.valueOf(constant(json.path("network").asString())),
        ClusterDatastore.valueOf(constant(json.path("datastore").asString())),
        json.path("dualStack").asBoolean(),
        json.path("nodes").asInt(),
        json.path("pods").asInt());
  }

  private static String constant(String label) {
    return label.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
