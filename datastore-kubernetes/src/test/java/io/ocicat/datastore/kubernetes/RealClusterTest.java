package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.ApiCall;
import io.ocicat.datastore.kubernetes.client.ApiPath;
import io.ocicat.datastore.kubernetes.client.Discovery;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.kubernetes.mapping.CustomLayout;
import io.ocicat.datastore.kubernetes.mapping.KubernetesCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import tools.jackson.databind.node.ObjectNode;

/** What only a real API server can confirm beyond the contract. */
@EnabledIfEnvironmentVariable(
    named = RealCluster.VARIABLE,
    matches = ".+",
    disabledReason = "it names no cluster: these tests are for one without Calico")
class RealClusterTest {
  private static final String NODE = "ocicat-test-node";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final ApiPath PODS = KubernetesCluster.PODS.in("shop");
  private static final ApiPath ACCOUNTS = ApiPath.core("serviceaccounts").in("shop");
  private static final ResourceKey ENDPOINT =
      ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "shop", "ocicat--test--node-k8s-cart-eth0");

  private final RealCluster cluster = new RealCluster(ApiGroup.V1);
  private final KubernetesDatastore datastore = Opening.open(RealCluster.config(ApiGroup.V1));

  @BeforeEach
  void prepare() {
    cluster.prepare();
  }

  @AfterEach
  void remove() {
    cluster.delete(PODS.named("cart"));
    cluster.delete(KubernetesCluster.NODES.named(NODE));
    datastore.close();
    cluster.close();
  }

  /** On a node that does not exist, so that no kubelet runs it. */
  private void createPod() {
    cluster.create(
        ACCOUNTS,
        StoredJson.parseObject(
            "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"till\"}}"));
    cluster.create(
        PODS,
        StoredJson.parseObject(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"cart"},
             "spec":{"nodeName":"%s","serviceAccountName":"till","automountServiceAccountToken":false,
              "containers":[{"name":"cart","image":"example.invalid/cart","ports":[{"name":"http","containerPort":8080}]}]}}"""
                .formatted(NODE)));
  }

  private static Resource withAddress(Resource endpoint) {
    return endpoint.edit(
        document -> {
          ObjectNode spec = (ObjectNode) document.get("spec");
          spec.putArray("ipNetworks").add("10.65.0.7/32");
          spec.put("containerID", "4f1c0d9b77aa");
        });
  }

  @Test
  void aPodIsAnEndpoint() {
    createPod();
    String revision = datastore.list(ResourceQuery.in(Kind.WORKLOAD_ENDPOINT, "shop")).revision();
    Resource read = datastore.get(ENDPOINT);
    assertThat(read.content().at("/spec/profiles").toString())
        .isEqualTo("[\"kns.shop\",\"ksa.shop.till\"]");

    Resource written = datastore.update(withAddress(read));
    assertThat(written.content().at("/spec/ipNetworks/0").stringValue()).isEqualTo("10.65.0.7/32");
    assertThatThrownBy(() -> datastore.delete(read)).isInstanceOf(ConflictException.class);
    assertThatThrownBy(
            () ->
                datastore.update(
                    withAddress(read)
                        .edit(
                            d ->
                                d.withObject("/metadata")
                                    .put("uid", "0b0e7a52-6f0e-4b53-9f0d-2f6a3c1d9e44"))))
        .isInstanceOf(NotFoundException.class);
    try (ResourceWatch watch =
        datastore.watch(ResourceQuery.in(Kind.WORKLOAD_ENDPOINT, "shop"), revision)) {
      assertThat(WatchReader.events(watch, 1).getFirst())
          .isEqualTo(new ResourceEvent.Modified(written));
    }
    datastore.delete(written);
    assertThat(datastore.get(ENDPOINT).content().at("/spec/ipNetworks").isMissingNode()).isTrue();
    assertThat(datastore.cluster().pod("shop", "cart").orElseThrow().node()).isEqualTo(NODE);
  }

  @Test
  void namespacesAndAccountsAreProfiles() {
    createPod();

    assertThat(datastore.list(ResourceQuery.of(Kind.PROFILE)).items())
        .extracting(profile -> profile.key().name())
        .contains("kns.shop", "ksa.shop.till", "projectcalico-default-allow");
  }

  @Test
  void aNodeIsUpdatedThroughItsStatus() {
    cluster.create(
        KubernetesCluster.NODES,
        StoredJson.parseObject(
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"}}"
                .formatted(NODE)));

    Resource written = Eventually.value("the node", LIMIT, this::updateNode);

    assertThat(written.text("spec", "bgp", "ipv4Address")).contains("192.0.2.1/24");
    assertThat(
            cluster
                .find(KubernetesCluster.NODES.named(NODE))
                .map(node -> JsonTrees.annotation(node, "projectcalico.org/IPv4Address")))
        .contains("192.0.2.1/24");
  }

  /** Controllers change a new node as well. */
  private Optional<Resource> updateNode() {
    Resource read = datastore.get(ResourceKey.of(Kind.NODE, NODE));
    try {
      return Optional.of(
          datastore.update(
              read.edit(
                  d ->
                      ((ObjectNode) d.get("spec"))
                          .withObject("/bgp")
                          .put("ipv4Address", "192.0.2.1/24"))));
    } catch (ConflictException _) {
      return Optional.empty();
    }
  }

  @Test
  void everyGoldenResourceIsAcceptedAndReadBack() throws Exception {
    for (GoldenCustomResourcesTest.Golden golden : GoldenCustomResourcesTest.documents()) {
      if (golden.group() == ApiGroup.V1) {
        Resource resource = golden.inEtcd();

        Resource created = datastore.create(resource.withRevision(""));

        assertThat(datastore.get(resource.key())).as("%s", golden).isEqualTo(created);
        assertThat(created.content().path("spec")).isEqualTo(resource.content().path("spec"));
        datastore.delete(created);
      }
    }
  }

  @Test
  void markedRecordsAreRemovedByTheNextReader() {
    ResourceKey key = new ResourceKey.Handle("net.aa");
    datastore.create(
        Resource.of(
            key, StoredJson.parseObject("{\"block\":{\"10.65.0.0/26\":1},\"deleted\":false}")));
    ApiPath path = new CustomLayout(ApiGroup.V1).path(key);
    ObjectNode marked = cluster.find(path).orElseThrow();
    ((ObjectNode) marked.get("spec")).put("deleted", true);
    cluster.api().call(ApiCall.update(path, marked, "the mark"));

    assertThatThrownBy(() -> datastore.get(key)).isInstanceOf(NotFoundException.class);
    assertThat(cluster.find(path)).isEmpty();
  }

  @Test
  void theOtherGroupIsMissing() {
    try (KubernetesDatastore other = Opening.open(RealCluster.config(ApiGroup.V3))) {
      assertThatThrownBy(() -> other.list(ResourceQuery.of(Kind.IP_POOL)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("ocicat crds | kubectl apply -f -");
    }
  }

  @Test
  void theGroupIsFoundOut() {
    ApiGroup found = new Discovery(cluster.api(), "").group();

    assertThat(found).isEqualTo(ApiGroup.V1);
  }
}
