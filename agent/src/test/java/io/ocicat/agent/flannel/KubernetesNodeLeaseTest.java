package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.startup.NetworkUnavailableCondition;
import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class KubernetesNodeLeaseTest extends NodeLeaseSuite {
  private final TestCluster cluster = new TestCluster(ApiGroup.V1);
  private final Datastore datastore = cluster.open();

  @AfterEach
  void close() {
    datastore.close();
    cluster.close();
  }

  @Override
  Datastore datastore() {
    return datastore;
  }

  @Override
  void join(String node, String... podCidrs) {
    ObjectNode joined = Json.object();
    ArrayNode cidrs = joined.putObject("spec").putArray("podCIDRs");
    for (String cidr : podCidrs) {
      cidrs.add(cidr);
    }
    cluster.put("nodes", node, joined);
  }

  @Override
  void leave(String node) {
    cluster.remove("nodes", node);
  }

  @Test
  void theConditionSaysThatFlannelIsUp() {
    join("node-a", "10.244.3.0/24");
    assertThat(new NetworkUnavailableCondition(datastore.cluster(), "node-a", "Flannel").set(true))
        .isTrue();

    ObjectNode node = cluster.get("nodes", "node-a").orElseThrow();
    assertThat(node.at("/status/conditions/0/status").asString()).isEqualTo("False");
    assertThat(node.at("/status/conditions/0/reason").asString()).isEqualTo("FlannelIsUp");
  }
}
