package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Review C11: after the documented set-up a pod starts, or the next step is reported. */
class SharedDatastoreTest {
  private final TestCluster cluster = new TestCluster(ApiGroup.V1).populate("node-1");

  @AfterEach
  void close() {
    cluster.close();
  }

  private List<String> prepare(String node, Map<String, String> more) {
    Map<String, String> environment = new java.util.HashMap<>(more);
    environment.put("K8S_API_ENDPOINT", cluster.url());
    return new SharedDatastore(environment, "kubernetes", node).prepare();
  }

  @Test
  void aFreshClusterIsMadeReady() {
    assertThat(prepare("node-1", Map.of("CALICO_IPV4POOL_CIDR", "10.65.0.0/16"))).isEmpty();
    assertThat(prepare("node-1", Map.of())).isEmpty();

    try (Datastore datastore = cluster.open()) {
      assertThat(
              datastore
                  .get(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"))
                  .<Boolean>read(it -> it.at("/spec/datastoreReady").asBoolean()))
          .isTrue();
      assertThat(
              datastore
                  .get(ResourceKey.of(Kind.IP_POOL, "default-ipv4-ippool"))
                  .text("spec", "cidr"))
          .contains("10.65.0.0/16");
    }
  }

  @Test
  void whatItMayNotDoItSays() {
    cluster.deny("create", "clusterinformations.crd.projectcalico.org");

    List<String> left = prepare("node-2", Map.of());

    assertThat(left).hasSize(3);
    assertThat(left.get(0)).startsWith("\"ocicat datastore unlock\" with an administrator's");
    assertThat(left.get(1)).contains("there is no node \"node-2\"");
    assertThat(left.get(2)).startsWith("create a pool: echo '{").endsWith("| ocicat apply -f -");
  }

  @Test
  void aServerThatCannotBeAskedIsNamed() {
    cluster.stop();

    assertThat(prepare("node-1", Map.of()))
        .singleElement()
        .asString()
        .contains("look into the datastore", cluster.url());
  }
}
