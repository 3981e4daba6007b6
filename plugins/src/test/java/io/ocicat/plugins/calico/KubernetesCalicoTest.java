package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Pods are the endpoints, and the plugin has the permissions of Calico's manifests. */
class KubernetesCalicoTest extends CalicoContract implements ApiScenarios {
  @SuppressWarnings("NullAway.Init") // by start
  private static PodApi api;

  @SuppressWarnings("NullAway.Init") // by start
  private static Store store;

  @BeforeAll
  static void start(@TempDir Path access) {
    api = PodApi.start(access);
    store = Store.kubernetes(api);
  }

  @AfterAll
  static void stop() {
    store.close();
    api.close();
  }

  @Override
  public Store store() {
    return store;
  }

  private Calling cart(Host host, Host pod) {
    CalicoNode node = node(host);
    return node.pod(node.kubernetes(V4, V6), pod, "shop", "cart-7d9f").container("4f1c0d9b77aa");
  }

  private static String annotation(String name) {
    return api.annotation("shop", "cart-7d9f", name);
  }

  @Test
  void thePodIsAnnotatedAndItsAnnotationsAreEmptiedAgain(Host host, Host pod) {
    Calling eth0 = cart(host, pod);

    eth0.add().ok();

    assertThat(annotation("podIP")).isEqualTo("10.65.0.2/32");
    assertThat(annotation("podIPs")).isEqualTo("10.65.0.2/32,fd00:65::2/128");
    assertThat(annotation("containerID")).isEqualTo("4f1c0d9b77aa");

    eth0.del().ok();

    assertThat(annotation("podIP")).isEmpty();
    assertThat(annotation("podIPs")).isEmpty();
    assertThat(annotation("containerID")).isEqualTo("4f1c0d9b77aa");
  }

  /**
   * Fewer requests than Calico's plugin, which gets the pod twice: every request is load for the
   * API.
   */
  @Test
  void theApiIsAskedForEachThingOnce(Host host, Host pod) {
    Calling eth0 =
        cart(host, pod).set("calico_api_group", CniJson.parse("\"crd.projectcalico.org/v1\""));
    api.cluster().forgetAsked();

    eth0.add().ok();

    assertThat(api.cluster().asked())
        .containsExactlyInAnyOrder(
            "get clusterinformations.crd.projectcalico.org",
            "get pods",
            "get namespaces",
            "list ippools.crd.projectcalico.org",
            "patch pods/status")
        .endsWith("patch pods/status");
    api.cluster().forgetAsked();
    eth0.del().ok();
    assertThat(api.cluster().asked())
        .containsExactlyInAnyOrder(
            "get clusterinformations.crd.projectcalico.org", "get pods", "patch pods/status")
        .endsWith("patch pods/status");
  }

  /** In a resident process calico-ipam would watch pools and nodes, but has no permission. */
  @Test
  void whatMayNotBeWatchedIsReadEachTime(Host host, Host pod) {
    CalicoNode node = node(host);
    store.pool("pods", "10.65.0.0/24", false);
    Calling eth0 = node.pod(node.pooled(Families.V4), pod, "test", "web-0");

    for (int call = 0; call < 3; call++) {
      eth0.add().ok();
      eth0.del().ok();
    }

    Eventually.await(
        "nobody tries to watch any more",
        () -> {
          api.cluster().forgetAsked();
          eth0.add().ok();
          eth0.del().ok();
          List<String> asked = api.cluster().asked();
          return asked.contains("get nodes")
              && !asked.contains("list nodes")
              && asked.stream().noneMatch(request -> request.startsWith("watch"));
        });
    assertThat(store.assigned()).isEmpty();
  }

  @Test
  void aDatastoreThatNobodyHasPreparedSaysTheNextStep(Host host, Host pod) {
    store.remove(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"));

    CniException error = cart(host, pod).add().error();

    assertThat(error.msg()).contains("ClusterInformation default does not exist");
    assertThat(error.details()).contains("ocicat install --calico", "ocicat datastore unlock");
  }

  @Test
  void anotherContainersPodIsLeftAlone(Host host, Host pod, Host next) {
    Calling old = cart(host, pod);
    old.add().ok();
    Calling young = cart(host, next).container("next");
    JsonNode result = young.add().ok();

    old.del().ok();

    assertThat(annotation("containerID")).isEqualTo("next");
    assertThat(annotation("podIP")).isEqualTo(result.at("/ips/0/address").asString());
  }

  @Test
  void containersThatAreNoPodsHaveNoPlaceThere(Host host, Host pod) {
    Calling eth0 = cart(host, pod).with("CNI_ARGS", "");

    assertThat(eth0.add().error().msg()).isEqualTo("unable to determine Pod name");
    assertThat(cart(host, pod).set("policy", CniJson.parse("{}")).add().error().msg())
        .contains("policy.type must be \"k8s\"");
    eth0.del().ok();
  }
}
