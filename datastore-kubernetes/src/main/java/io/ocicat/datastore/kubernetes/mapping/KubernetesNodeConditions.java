package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.cluster.NodeCondition;
import io.ocicat.datastore.cluster.NodeConditions;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiClient;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The conditions in the status of nodes. A patch sets one of them, by its type. */
record KubernetesNodeConditions(ApiClient api) implements NodeConditions {

  @Override
  public Optional<NodeCondition> get(String node, String type) {
    ObjectNode found = api.call(ApiCall.get(path(node), "node " + node));
    return found
        .at("/status/conditions")
        .valueStream()
        .filter(condition -> JsonTrees.text(condition, "type").equals(type))
        .findFirst()
        .map(
            condition ->
                new NodeCondition(
                    type,
                    JsonTrees.text(condition, "status").equals("True"),
                    JsonTrees.text(condition, "reason"),
                    JsonTrees.text(condition, "message")));
  }

  @Override
  public void set(String node, NodeCondition condition) {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    ObjectNode patch = Json.object();
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", condition.type())
        .put("status", condition.status() ? "True" : "False")
        .put("reason", condition.reason())
        .put("message", condition.message())
        .put("lastHeartbeatTime", now)
        .put("lastTransitionTime", now);
    api.call(ApiCall.patch(path(node).sub("status"), patch, "node " + node));
  }

  private static ApiPath path(String node) {
    return KubernetesCluster.NODES.named(node);
  }
}
