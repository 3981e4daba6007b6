package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.json.Json;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods are the endpoints, with no more rights than Calico's manifests give the plugin. */
@Hosts
class KubernetesCalicoTest {
  private static final String POD = "/api/v1/namespaces/shop/pods/cart-7d9f";
  private static final String READY = "/apis/crd.projectcalico.org/v1/clusterinformations/default";

  @TempDir Path files;
  private final TinyApi api = TinyApi.start();

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @BeforeEach
  void open() {
    store = Store.kubernetes(api.url());
    api.put(
        READY,
        """
        {"apiVersion": "crd.projectcalico.org/v1", "kind": "ClusterInformation",
         "metadata": {"name": "default", "resourceVersion": "1", "uid": "85d1d33f-f55f-4f28-a89d-0a55394311db"},
         "spec": {"datastoreReady": true}}
        """);
    api.put(
        "/api/v1/namespaces/shop",
        """
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "resourceVersion": "2"}}
        """);
    api.put(
        "/api/v1/nodes/node-a",
        """
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a", "resourceVersion": "4"},
         "spec": {"podCIDRs": ["10.65.7.0/24", "fd00:65:7::/64"]}}
        """);
    pod("node-a", "");
  }

  private void pod(String node, String annotations) {
    api.put(
        POD,
        """
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "cart-7d9f", "namespace": "shop", "resourceVersion": "3", "annotations": {%s},
          "uid": "0b0e7a52-6f0e-4b53-9f0d-2f6a3c1d9e44", "creationTimestamp": "2026-02-03T04:05:06Z",
          "labels": {"app": "cart"}},
         "spec": {"nodeName": "%s", "serviceAccountName": "default", "containers": [{"name": "c"}]},
         "status": {"phase": "Pending"}}
        """
            .formatted(annotations, node));
  }

  @AfterEach
  void close() {
    store.close();
    api.close();
  }

  private Calling cart(Host host, Host pod) {
    CalicoNode node = CalicoNode.of(host, store, files);
    ObjectNode config = node.kubernetes().put("calico_api_group", "crd.projectcalico.org/v1");
    ((ObjectNode) config.get("ipam")).putArray("ranges");
    Json.parse("[[{\"subnet\": \"usePodCidr\"}], [{\"subnet\": \"usePodCidrIPv6\"}]]")
        .forEach(range -> ((ObjectNode) config.get("ipam")).withArray("ranges").add(range));
    return node.pod(config, pod, "shop", "cart-7d9f").container("4f1c0d9b77aa");
  }

  private String annotation(String name) {
    return api.get(POD)
        .at("/metadata/annotations")
        .path("cni.projectcalico.org/" + name)
        .asString("-");
  }

  @Test
  void thePodIsAnnotatedAndItsAnnotationsAreEmptiedAgain(Host host, Host pod) {
    Calling eth0 = cart(host, pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo("calieb55de816a6");
    assertThat(annotation("podIP")).isEqualTo("10.65.7.2/32");
    assertThat(annotation("podIPs")).isEqualTo("10.65.7.2/32,fd00:65:7::2/128");
    assertThat(annotation("containerID")).isEqualTo("4f1c0d9b77aa");
    assertThat(api.seen())
        .noneMatch(request -> request.contains("limit") || request.endsWith("/pods"));
    assertThat(api.seen().stream().filter(request -> request.startsWith("PATCH"))).hasSize(1);
    eth0.previous(result).check().ok();
    eth0.status().ok();

    eth0.del().ok();

    assertThat(annotation("podIP")).isEmpty();
    assertThat(annotation("podIPs")).isEmpty();
    assertThat(annotation("containerID")).isEqualTo("4f1c0d9b77aa");
    assertThat(host.exec("ip", "link").stdout()).doesNotContain("cali");
    eth0.del().ok();
  }

  @Test
  void anotherContainersPodIsLeftAlone(Host host, Host pod, Host next) {
    Calling old = cart(host, pod);
    old.add().ok();
    Calling young = cart(host, next).container("next");
    young.add().ok();

    old.del().ok();

    assertThat(annotation("containerID")).isEqualTo("next");
    assertThat(annotation("podIP")).isEqualTo("10.65.7.3/32");
    young.del().ok();
  }

  @Test
  void aPodThatIsGoneIsNotAttachedButDetached(Host host, Host pod) {
    Calling eth0 = cart(host, pod);
    Calling gone = eth0.with("CNI_ARGS", "K8S_POD_NAME=gone;K8S_POD_NAMESPACE=shop");

    assertThat(gone.add().error().msg()).isEqualTo("pod shop/gone does not exist");
    gone.del().ok();
    assertThat(files.resolve("leases/net1/10.65.7.2")).doesNotExist();
  }

  @Test
  void aNodeThatCallsItselfOtherwiseIsTold(Host host, Host pod) {
    pod("another-node", "");

    assertThat(cart(host, pod).add().stderr())
        .contains("is on node \"another-node\", but this node calls itself \"node-a\"");
  }

  @Test
  void containersThatAreNoPodsHaveNoPlaceThere(Host host, Host pod) {
    Calling eth0 = cart(host, pod).with("CNI_ARGS", "");

    assertThat(eth0.add().error().msg()).isEqualTo("unable to determine Pod name");
    assertThat(cart(host, pod).set("policy", Json.parse("{}")).add().error().msg())
        .contains("policy.type must be \"k8s\"");
    eth0.del().ok();
  }
}
