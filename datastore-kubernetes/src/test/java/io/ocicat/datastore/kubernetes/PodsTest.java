package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** Workload endpoints, which are pods. */
class PodsTest {
  private static final ResourceKey CART =
      ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "shop", "node--a-k8s-cart--7d9f-eth0");

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @BeforeEach
  void createPod() {
    server.createNamespace("shop");
    server.put("pods", "shop/cart-7d9f", pod());
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private static ObjectNode pod() {
    return StoredJson.parseObject(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"name":"cart-7d9f","namespace":"shop","generateName":"cart-","labels":{"app":"cart"},
          "annotations":{"cni.projectcalico.org/floatingIPs":"[\\"198.51.100.9\\"]",
           "cni.projectcalico.org/allowedSourcePrefixes":"[\\"10.1.2.3/8\\"]",
           "kubernetes.io/ingress-bandwidth":"10M","qos.projectcalico.org/egressPacketRate":"1Ki","qos.projectcalico.org/egressBurst":"many"}},
         "spec":{"nodeName":"node-a","serviceAccountName":"default",
          "containers":[{"name":"a","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"containerPort":9}]}],
          "initContainers":[{"name":"b","ports":[{"containerPort":53,"hostPort":5353,"hostIP":"192.0.2.1","protocol":"UDP"},
            {"name":"odd","containerPort":7,"protocol":"DCCP"}]}]},
         "status":{"phase":"Pending"}}""");
  }

  /** What the plugin would write. */
  private Resource withAddresses(Resource endpoint) {
    return endpoint.edit(
        document -> {
          ObjectNode spec = (ObjectNode) document.get("spec");
          spec.putArray("ipNetworks").add("10.65.0.7/32").add("fd00:65::7/128");
          spec.put("containerID", "4f1c0d9b77aa").put("mac", "3a:5f:10:22:7c:01");
        });
  }

  @Test
  void aPodIsAnEndpointBeforeItHasAddresses() {
    ObjectNode content = datastore.get(CART).content();

    assertThat(StoredJson.compact(content.get("spec")))
        .isEqualTo(
            "{\"orchestrator\":\"k8s\",\"node\":\"node-a\",\"pod\":\"cart-7d9f\",\"endpoint\":\"eth0\","
                + "\"serviceAccountName\":\"default\",\"profiles\":[\"kns.shop\",\"ksa.shop.default\"],"
                + "\"interfaceName\":\"calieb55de816a6\",\"ports\":["
                + "{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":8080,\"hostPort\":0,\"hostIP\":\"\"},"
                + "{\"name\":\"\",\"protocol\":\"UDP\",\"port\":53,\"hostPort\":5353,\"hostIP\":\"192.0.2.1\"}],"
                + "\"allowSpoofedSourcePrefixes\":[\"10.0.0.0/8\"],"
                + "\"qosControls\":{\"ingressBandwidth\":10000000,\"egressPacketRate\":1024}}");
    assertThat(datastore.get(CART).labels())
        .isEqualTo(
            Map.of(
                "app", "cart",
                "projectcalico.org/namespace", "shop",
                "projectcalico.org/orchestrator", "k8s",
                "projectcalico.org/serviceaccount", "default"));
    assertThat(content.at("/metadata/generateName").stringValue()).isEqualTo("cart-");
  }

  @Test
  void writingOneAnnotatesItsPod() {
    Resource read = datastore.get(CART);
    server.forgetSeen();

    Resource written = datastore.update(withAddresses(read));

    assertThat(server.seen()).hasSize(1);
    ApiServer.Seen patch = server.seen().getFirst();
    assertThat(patch.verb()).isEqualTo("patch");
    assertThat(patch.target().sub()).isEqualTo("status");
    assertThat(patch.body())
        .isEqualTo(
            StoredJson.parseObject(
                """
                {"metadata":{"uid":"%s","annotations":{"cni.projectcalico.org/containerID":"4f1c0d9b77aa",
                 "cni.projectcalico.org/podIP":"10.65.0.7/32","cni.projectcalico.org/podIPs":"10.65.0.7/32,fd00:65::7/128"}}}"""
                    .formatted(read.text("metadata", "uid").orElseThrow())));
    assertThat(written.content().at("/spec/ipNetworks").toString())
        .isEqualTo("[\"10.65.0.7/32\",\"fd00:65::7/128\"]");
    assertThat(written.text("spec", "containerID")).contains("4f1c0d9b77aa");
    assertThat(written.text("spec", "mac")).isEmpty();
    assertThat(written.content().at("/spec/ipNATs/0/internalIP").stringValue())
        .isEqualTo("10.65.0.7");
    assertThat(datastore.get(CART)).isEqualTo(written);
  }

  @Test
  void creatingOneAnnotatesItsPodAsWell() {
    Resource fresh =
        Resource.of(
            (ResourceKey.Named) CART,
            spec -> {
              spec.put("orchestrator", "k8s").put("node", "node-a").put("pod", "cart-7d9f");
              spec.put("endpoint", "eth0").put("interfaceName", "calieb55de816a6");
              spec.putArray("ipNetworks").add("10.65.0.7/32");
            });

    assertThat(datastore.create(fresh).content().at("/spec/ipNetworks/0").stringValue())
        .isEqualTo("10.65.0.7/32");
    assertThat(server.seen().getLast().body().at("/metadata/uid").isMissingNode()).isTrue();
  }

  @Test
  void aPodOfTheSameNameIsNotTheSamePod() {
    Resource read = datastore.get(CART);
    server.store().remove("pods", "shop/cart-7d9f");
    server.put("pods", "shop/cart-7d9f", pod());

    assertThatThrownBy(() -> datastore.update(withAddresses(read)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("another has its name");
  }

  @Test
  void kubeletsChangesDoNotStandInTheWayOfAWrite() {
    Resource read = datastore.get(CART);
    ObjectNode changed = server.store().get("pods", "shop/cart-7d9f").orElseThrow();
    changed.withObject("/status").put("phase", "Running");
    server.put("pods", "shop/cart-7d9f", changed);

    assertThat(datastore.update(withAddresses(read)).revision()).isNotEqualTo(read.revision());
  }

  @Test
  void deletingOneEmptiesItsAddressesAndKeepsItsContainer() {
    Resource written = datastore.update(withAddresses(datastore.get(CART)));

    assertThat(datastore.delete(written)).isEqualTo(written);

    ObjectNode patch = server.seen().getLast().body();
    assertThat(patch)
        .isEqualTo(
            StoredJson.parseObject(
                """
                {"metadata":{"annotations":{"cni.projectcalico.org/podIP":"","cni.projectcalico.org/podIPs":""},
                 "resourceVersion":"%s","uid":"%s"}}"""
                    .formatted(written.revision(), written.text("metadata", "uid").orElseThrow())));
    assertThat(datastore.get(CART).content().at("/spec/ipNetworks").isMissingNode()).isTrue();
    assertThat(datastore.get(CART).text("spec", "containerID")).contains("4f1c0d9b77aa");
    assertThatThrownBy(() -> datastore.delete(written)).isInstanceOf(ConflictException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"status\":{\"podIPs\":[{\"ip\":\"10.1.0.1\"},{\"ip\":\"fd00::1\"}],\"podIP\":\"10.1.0.9\"}} | [\"10.1.0.1/32\",\"fd00::1/128\"]",
        "{\"status\":{\"podIP\":\"10.1.0.9\"}} | [\"10.1.0.9/32\"]",
        "{\"metadata\":{\"annotations\":{\"cni.projectcalico.org/podIP\":\"10.1.0.2/32\"}}} | [\"10.1.0.2/32\"]",
        "{\"metadata\":{\"annotations\":{\"vpc.amazonaws.com/pod-ips\":\"10.1.0.3\"}}} | [\"10.1.0.3/32\"]",
        "{\"status\":{\"podIP\":\"10.1.0.9\",\"phase\":\"Succeeded\"}} | ",
        "{\"status\":{\"podIP\":\"10.1.0.9\"},\"metadata\":{\"deletionTimestamp\":\"2026-02-03T04:05:06Z\",\"annotations\":{\"cni.projectcalico.org/podIP\":\"\"}}} | ",
        "{\"status\":{\"podIP\":\"10.1.0.9\"},\"metadata\":{\"annotations\":{\"cni.projectcalico.org/podIP\":\"\"}}} | [\"10.1.0.9/32\"]"
      })
  void addressesAreWhatKubeletReportsElseWhatWasNoted(String change, String networks) {
    ObjectNode pod = server.store().get("pods", "shop/cart-7d9f").orElseThrow();
    ObjectVerbs.merge(pod, StoredJson.parseObject(change));
    server.put("pods", "shop/cart-7d9f", pod);

    String read = datastore.get(CART).content().at("/spec/ipNetworks").toString();
    assertThat(read).isEqualTo(networks == null ? "" : networks);
  }

  @Test
  void podsOfTheHostsNetworkOrWithoutAMachineAreNone() {
    ObjectNode pod = pod();
    ((ObjectNode) pod.get("spec")).put("hostNetwork", true);
    server.put("pods", "shop/cart-7d9f", pod);
    ObjectNode waiting = pod();
    ((ObjectNode) waiting.get("spec")).remove("nodeName");
    waiting.withObject("/metadata").put("name", "new");
    server.put("pods", "shop/new", waiting);

    assertThatThrownBy(() -> datastore.get(CART)).isInstanceOf(NotFoundException.class);
    assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()).isEmpty();
  }

  @Test
  void anEndpointOfAnotherNodeIsNotFound() {
    assertThatThrownBy(
            () ->
                datastore.get(
                    ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "shop", "node--b-k8s-cart--7d9f-eth0")))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(
            () ->
                datastore.get(
                    ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "shop", "node--a-cni-4f1c-eth0")))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void endpointsThatAreNotOfPodsCannotBeWritten() {
    Resource foreign =
        Resource.of(
            (ResourceKey.Named)
                ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "shop", "node--a-cni-4f1c-eth0"),
            spec -> {
              spec.put("orchestrator", "cni").put("node", "node-a").put("containerID", "4f1c");
              spec.put("endpoint", "eth0").put("interfaceName", "cali4f1c");
              spec.putArray("ipNetworks").add("10.65.0.7/32");
            });

    assertThatThrownBy(() -> datastore.create(foreign)).isInstanceOf(UnsupportedException.class);
  }

  /** The plugin's service account may not list pods. */
  @Test
  void whoKnowsThePodDoesNotListPods() {
    server.deny("list", "pods");

    ResourcePage page =
        datastore.list(
            ResourceQuery.startingWith(Kind.WORKLOAD_ENDPOINT, "shop", "node--a-k8s-cart--7d9f-"));
    assertThat(page.items()).extracting(Resource::key).containsExactly(CART);
    assertThat(
            datastore
                .list(
                    ResourceQuery.startingWith(Kind.WORKLOAD_ENDPOINT, "shop", "node--a-k8s-none-"))
                .items())
        .isEmpty();
  }

  @Test
  void unreadableResourcesAreReportedAndHideNothing() {
    ObjectNode broken = pod();
    broken.withObject("/metadata").put("name", "broken");
    broken.withObject("/status").put("podIP", "10.1.0");
    server.put("pods", "shop/broken", broken);

    ResourcePage page = datastore.list(ResourceQuery.in(Kind.WORKLOAD_ENDPOINT, "shop"));

    assertThat(page.items()).extracting(Resource::key).containsExactly(CART);
    assertThat(page.unreadable()).singleElement().asString().contains("shop/broken", "10.1.0");
  }

  @Test
  void changesOfPodsAreChangesOfEndpoints() {
    String revision = datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).revision();
    try (ResourceWatch watch =
        datastore.watch(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT), revision)) {
      Resource written = datastore.update(withAddresses(datastore.get(CART)));
      server.store().remove("pods", "shop/cart-7d9f");

      List<ResourceEvent> events = WatchReader.events(watch, 2);
      assertThat(events.get(0)).isEqualTo(new ResourceEvent.Modified(written));
      assertThat(events.get(1)).isInstanceOf(ResourceEvent.Deleted.class);
      assertThat(events.get(1).key()).isEqualTo(CART);
      assertThat(watch.next(Duration.ZERO).events()).isEmpty();
    }
  }

  @Test
  void theClusterReturnsPodsNamespacesAndNodes() {
    server.put(
        "nodes",
        "node-a",
        StoredJson.parseObject(
            """
            {"metadata":{"name":"node-a","labels":{"rack":"r1"}},"spec":{"podCIDRs":["10.244.0.0/24","fd00:244::/64"]}}"""));

    Pod pod = datastore.cluster().pod("shop", "cart-7d9f").orElseThrow();
    assertThat(pod.serviceAccount()).isEqualTo("default");
    assertThat(pod.node()).isEqualTo("node-a");
    assertThat(pod.labels()).containsEntry("app", "cart");
    assertThat(datastore.cluster().pod("shop", "none")).isEmpty();
    assertThat(datastore.cluster().namespace("shop")).isPresent();
    assertThat(datastore.cluster().namespace("none")).isEmpty();
    assertThat(datastore.cluster().node("node-a").orElseThrow().podCidrs())
        .containsExactly("10.244.0.0/24", "fd00:244::/64");
    assertThat(datastore.cluster().node("none")).isEmpty();
  }
}
