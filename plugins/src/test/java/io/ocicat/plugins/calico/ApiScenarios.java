package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.V4;
import static io.ocicat.plugins.calico.CalicoContract.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Scenarios with pods, namespaces and nodes from an API server. */
interface ApiScenarios {
  Store store();

  CalicoNode node(Host host);

  private PodApi api() {
    return store().api().orElseThrow();
  }

  @Test
  default void aNamespaceNamesThePoolOfItsPodsUnlessTheyDo(Host host, Host a, Host b) {
    CalicoNode node = node(host);
    store().pool("blue", "10.65.1.0/24", false);
    store().pool("green", "10.65.2.0/24", false);
    store().pool("red", "10.65.3.0/24", false);
    api().cluster().namespace("test", Map.of("cni.projectcalico.org/ipv4pools", "[\"green\"]"));
    store().put(Store.pod("test", "b", Map.of("cni.projectcalico.org/ipv4pools", "[\"red\"]")));

    JsonNode first = node.pod(node.pooled(Families.V4), a, "test", "a").add().ok();
    JsonNode second = node.pod(node.pooled(Families.V4), b, "test", "b").add().ok();

    assertThat(address(first, 0)).startsWith("10.65.2.");
    assertThat(address(second, 0)).startsWith("10.65.3.");
  }

  /** host-local with the node's pod ranges. */
  private Calling ranged(CalicoNode node, Host pod, String ipam) {
    ObjectNode config = node.kubernetes();
    ObjectNode members = (ObjectNode) CniJson.parse(ipam);
    members.put("type", "host-local");
    members.put("dataDir", node.files().resolve("leases").toString());
    config.set("ipam", members);
    return node.pod(config, pod, "test", "web-0");
  }

  @Test
  default void theNodesRangesAreUsedAndAnAddressAgainAfterItsRelease(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 =
        ranged(
            node,
            pod,
            "{\"ranges\": [[{\"subnet\": \"usePodCidr\"}], [{\"subnet\": \"usePodCidrIPv6\"}]]}");

    JsonNode result = eth0.add().ok();

    assertThat(result.path("ips").findValuesAsString("address"))
        .containsExactly("10.10.0.2/32", "fd00:10::2/128");
    assertThat(pod.exec("ip", "-6", "route").stdout())
        .contains("default via fe80::ecee:eeff:feee:eeee dev eth0");
    eth0.del().ok();
    eth0.add().ok();
    eth0.del().ok();
    api().cluster().node(PodApi.NODE, Map.of(), List.of("10.10.0.0/24"));
    assertThat(eth0.add().error().msg()).contains("there is no IPv6 CIDR configured");
    assertThat(node.traces()).isEmpty();
    JsonNode single = ranged(node, pod, "{\"subnet\": \"usePodCidr\"}").add().ok();
    assertThat(address(single, 0)).startsWith("10.10.0.");
  }

  @Test
  default void aPodThatIsGoneIsNotAttachedButDetached(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling gone =
        node.call(node.kubernetes(V4), pod)
            .with("CNI_ARGS", "K8S_POD_NAME=gone;K8S_POD_NAMESPACE=shop");

    assertThat(gone.add().error().msg()).isEqualTo("pod shop/gone does not exist");
    gone.del().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(node.files().resolve("leases/net1/10.65.0.2")).doesNotExist();
  }

  @Test
  default void aNodeThatCallsItselfOtherwiseIsTold(Host host, Host pod) {
    Pod elsewhere = Store.pod("test", "web-0", Map.of());
    store()
        .put(
            new Pod(
                "test",
                "web-0",
                elsewhere.uid(),
                elsewhere.labels(),
                Map.of(),
                "default",
                "",
                "another-node",
                List.of()));
    CalicoNode node = node(host);

    assertThat(node.pod(node.kubernetes(V4), pod, "test", "web-0").add().stderr())
        .contains("is on node \"another-node\", but this node calls itself \"node-a\"");
  }

  @Test
  default void aMissingClusterInformationIsNotMadeUp(Host host, Host pod) {
    CalicoNode node = node(host);
    store().remove(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"));
    Calling eth0 = node.pod(node.kubernetes(V4), pod, "test", "web-0");

    assertThat(eth0.add().error().msg()).startsWith("error getting ClusterInformation: ");
    assertThat(eth0.del().error().msg()).startsWith("error getting ClusterInformation: ");
    assertThat(node.traces()).isEmpty();
  }
}
