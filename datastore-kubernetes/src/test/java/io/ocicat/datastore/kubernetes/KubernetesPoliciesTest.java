package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kubernetes' own policies and endpoint slices, as they are in its API. */
class KubernetesPoliciesTest {
  private static final ResourceKey WEB =
      ResourceKey.of(Kind.KUBERNETES_NETWORK_POLICY, "shop", "web");

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @BeforeEach
  void createNamespace() {
    server.createNamespace("shop");
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  private static Resource policy() {
    return Resource.ofDocument(
        StoredJson.parseObject(
            """
            {"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy",
             "metadata":{"name":"web","namespace":"shop"},
             "spec":{"podSelector":{},"egress":[{"ports":[{"port":53}]}]}}\
            """));
  }

  @Test
  void aPolicyIsWrittenWhereKubernetesKeepsIt() {
    Resource created = datastore.create(policy());

    assertThat(created.key()).isEqualTo(WEB);
    assertThat(server.store().get("networkpolicies.networking.k8s.io", "shop/web")).isPresent();
    assertThat(StoredJson.compact(created.content().get("spec")))
        .isEqualTo(
            "{\"podSelector\":{},\"egress\":[{\"ports\":[{\"protocol\":\"TCP\",\"port\":53}]}],"
                + "\"policyTypes\":[\"Ingress\",\"Egress\"]}");
    assertThat(datastore.get(WEB)).isEqualTo(created);
    assertThat(datastore.list(ResourceQuery.in(WEB.kind(), "shop")).items())
        .containsExactly(created);
    assertThat(datastore.list(ResourceQuery.in(WEB.kind(), "other")).items()).isEmpty();
  }

  @Test
  void changesAreWatched() {
    Resource created = datastore.create(policy());
    String revision = datastore.list(ResourceQuery.of(WEB.kind())).revision();
    try (ResourceWatch watch = datastore.watch(ResourceQuery.of(WEB.kind()), revision)) {
      Resource changed = datastore.update(created.edit(d -> d.withObject("spec").remove("egress")));
      datastore.delete(changed);

      List<ResourceEvent> events = WatchReader.events(watch, 2);

      assertThat(events.get(0)).isEqualTo(new ResourceEvent.Modified(changed));
      assertThat(events.get(1).key()).isEqualTo(WEB);
      assertThat(events.get(1)).isInstanceOf(ResourceEvent.Deleted.class);
    }
  }

  @Test
  void anEndpointSliceIsReadOnly() {
    server.put(
        "endpointslices.discovery.k8s.io",
        "shop/web-1",
        StoredJson.parseObject(
            """
            {"metadata":{"name":"web-1","namespace":"shop","labels":{"kubernetes.io/service-name":"web"}},
             "addressType":"IPv4","endpoints":[{"addresses":["10.65.0.9"],"conditions":{"ready":false}}],
             "ports":[{"name":"http","protocol":"TCP","port":8080}]}\
            """));

    Resource slice = datastore.get(ResourceKey.of(Kind.ENDPOINT_SLICE, "shop", "web-1"));

    assertThat(slice.labels()).containsEntry("kubernetes.io/service-name", "web");
    assertThat(slice.content().at("/endpoints/0/addresses/0").asString()).isEqualTo("10.65.0.9");
    assertThat(slice.text("apiVersion")).contains("discovery.k8s.io/v1");
    assertThatThrownBy(() -> datastore.delete(slice))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage(
            "EndpointSlice shop/web-1 cannot be deleted here: Kubernetes makes it of a service and its pods");
  }

  /**
   * Most clusters do not have the definition: a reader must be able to tell this from a failure.
   */
  @Test
  void aKindThatTheClusterDoesNotDefineIsUnsupported() {
    assertThatThrownBy(() -> datastore.list(ResourceQuery.of(Kind.CLUSTER_NETWORK_POLICY)))
        .isInstanceOf(UnsupportedException.class)
        .hasMessageContaining(
            "does not know clusternetworkpolicies.policy.networking.k8s.io: is what defines them installed?");
  }

  @Test
  void aNamespaceIsKubernetesToChange() {
    Resource namespace = datastore.get(ResourceKey.of(Kind.NAMESPACE, "shop"));
    assertThatThrownBy(
            () ->
                datastore.update(
                    namespace.edit(
                        d -> d.withObject("metadata").withObject("labels").put("a", "b"))))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage("Namespace shop cannot be changed here: use kubectl edit namespace");
  }
}
