package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.client.JsonTrees;
import io.ocicat.datastore.kubernetes.mapping.CrdUids;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Profiles, which are namespaces and service accounts, and nodes. */
class ProfilesAndNodesTest {
  private static final ResourceKey NODE = ResourceKey.of(Kind.NODE, "node-a");

  private final ApiServer server = new ApiServer();
  private final KubernetesDatastore datastore = Opening.open(server);

  @BeforeEach
  void fill() {
    server.put(
        "namespaces",
        "shop",
        StoredJson.parseObject(
            "{\"metadata\":{\"name\":\"shop\",\"labels\":{\"tier\":\"gold\"}}}"));
    server.put("serviceaccounts", "shop/till.two", account("till.two"));
    server.put(
        "nodes",
        "node-a",
        StoredJson.parseObject(
            """
            {"metadata":{"name":"node-a","labels":{"rack":"r1"},"annotations":{"projectcalico.org/IPv4Address":"192.0.2.1/24",
              "projectcalico.org/ASNumber":"64512","projectcalico.org/IPv4IPIPTunnelAddr":"10.65.0.2","projectcalico.org/kube-labels":"{}",
              "projectcalico.org/IPv4VXLANTunnelAddr":"10.65.0.3","projectcalico.org/VXLANTunnelMACAddr":"66:2a:10:22:7c:01",
              "projectcalico.org/Interfaces":"[{\\"name\\":\\"eth0\\",\\"addresses\\":[\\"192.0.2.1\\"]}]","other":"kept"}},
             "spec":{"podCIDRs":["10.244.0.0/24"],"taints":[{"key":"x"}]},
             "status":{"addresses":[{"type":"InternalIP","address":"192.0.2.1"},{"type":"Hostname","address":"node-a"}]}}"""));
  }

  private static ObjectNode account(String name) {
    return StoredJson.parseObject(
        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"shop\",\"labels\":{\"role\":\"till\"}}}"
            .formatted(name));
  }

  @AfterEach
  void close() {
    datastore.close();
    server.close();
  }

  @Test
  void aNamespaceIsAProfileThatAllowsEverything() {
    Resource profile = datastore.get(ResourceKey.of(Kind.PROFILE, "kns.shop"));

    assertThat(StoredJson.compact(profile.content().get("spec")))
        .isEqualTo(
            "{\"ingress\":[{\"action\":\"Allow\"}],\"egress\":[{\"action\":\"Allow\"}],"
                + "\"labelsToApply\":{\"pcns.projectcalico.org/name\":\"shop\",\"pcns.tier\":\"gold\"}}");
    assertThat(profile.revision()).endsWith("/");
  }

  /** Seen with the real calicoctl: the profile is another object than what it is made of. */
  @Test
  void aProfileHasAUidOfItsOwn() {
    assertThat(CrdUids.swap("9bf3a880-a50f-492d-8c1a-24eb80508a39"))
        .isEqualTo("d9cf1501-a5f0-49b4-8c58-24d7010a519c");
    ObjectNode namespace =
        server.put(
            "namespaces", "till", StoredJson.parseObject("{\"metadata\":{\"name\":\"till\"}}"));
    ObjectNode account = server.put("serviceaccounts", "shop/one", account("one"));

    Map.of("kns.till", namespace, "ksa.shop.one", account)
        .forEach(
            (profile, from) ->
                assertThat(
                        datastore
                            .get(ResourceKey.of(Kind.PROFILE, profile))
                            .text("metadata", "uid"))
                    .contains(CrdUids.swap(JsonTrees.text(JsonTrees.metadata(from), "uid"))));
  }

  @Test
  void aServiceAccountIsAProfileOfLabels() {
    Resource profile = datastore.get(ResourceKey.of(Kind.PROFILE, "ksa.shop.till.two"));

    assertThat(StoredJson.compact(profile.content().get("spec")))
        .isEqualTo(
            "{\"labelsToApply\":{\"pcsa.projectcalico.org/name\":\"till.two\",\"pcsa.role\":\"till\"}}");
    assertThat(profile.revision()).startsWith("/");
  }

  @Test
  void otherProfilesDoNotExistAndNoneIsWritten() {
    for (String name : List.of("kns.none", "ksa.shop.none", "ksa.shop", "net1")) {
      assertThatThrownBy(() -> datastore.get(ResourceKey.of(Kind.PROFILE, name)))
          .isInstanceOf(NotFoundException.class);
    }
    Resource profile = datastore.get(ResourceKey.of(Kind.PROFILE, "kns.shop"));
    assertThatThrownBy(() -> datastore.update(profile)).isInstanceOf(UnsupportedException.class);
    assertThatThrownBy(() -> datastore.delete(profile)).isInstanceOf(UnsupportedException.class);
  }

  @Test
  void profilesAreListedPageByPage() {
    server.createNamespace("other");
    ResourceQuery all = ResourceQuery.of(Kind.PROFILE);

    assertThat(datastore.list(all).items())
        .extracting(profile -> profile.key().name())
        .containsExactly(
            "kns.other", "kns.shop", "ksa.shop.till.two", "projectcalico-default-allow");
    ResourcePage first = datastore.list(all, 1, null);
    assertThat(first.items()).hasSize(1);
    assertThat(datastore.list(all, 1, first.next()).items())
        .extracting(profile -> profile.key().name())
        .containsExactly("kns.shop");
    assertThatThrownBy(() -> datastore.list(all, 1, "nonsense"))
        .isInstanceOf(InvalidException.class);
  }

  @Test
  void changesOfBothAreSeenByOneWatch() {
    String revision = datastore.list(ResourceQuery.of(Kind.PROFILE)).revision();
    try (ResourceWatch watch = datastore.watch(ResourceQuery.of(Kind.PROFILE), revision)) {
      server.createNamespace("new");
      server.put("serviceaccounts", "shop/more", account("more"));
      server.store().remove("serviceaccounts", "shop/till.two");

      List<ResourceEvent> events = WatchReader.events(watch, 3);
      assertThat(events)
          .extracting(event -> event.key().name())
          .containsExactlyInAnyOrder("kns.new", "ksa.shop.more", "ksa.shop.till.two");
      assertThat(events)
          .filteredOn(ResourceEvent.Deleted.class::isInstance)
          .extracting(event -> event.key().name())
          .containsExactly("ksa.shop.till.two");
    }
  }

  @Test
  void aNodeIsWhatItsAnnotationsSay() {
    Resource node = datastore.get(NODE);

    assertThat(StoredJson.compact(node.content().get("spec")))
        .isEqualTo(
            "{\"bgp\":{\"asNumber\":64512,\"ipv4Address\":\"192.0.2.1/24\",\"ipv4IPIPTunnelAddr\":\"10.65.0.2\"},"
                + "\"ipv4VXLANTunnelAddr\":\"10.65.0.3\",\"vxlanTunnelMACAddr\":\"66:2a:10:22:7c:01\","
                + "\"orchRefs\":[{\"nodeName\":\"node-a\",\"orchestrator\":\"k8s\"}],"
                + "\"addresses\":[{\"address\":\"192.0.2.1/24\",\"type\":\"CalicoNodeIP\"},{\"address\":\"192.0.2.1\",\"type\":\"InternalIP\"}],"
                + "\"interfaces\":[{\"name\":\"eth0\",\"addresses\":[\"192.0.2.1\"]}]}");
    assertThat(node.content().at("/status/podCIDRs/0").stringValue()).isEqualTo("10.244.0.0/24");
    assertThat(node.content().at("/metadata/annotations").toString())
        .isEqualTo("{\"other\":\"kept\"}");
    assertThat(datastore.list(ResourceQuery.of(Kind.NODE)).items()).containsExactly(node);
  }

  @Test
  void updatingANodeChangesItsAnnotationsAndNothingElse() {
    Resource read = datastore.get(NODE);

    Resource written =
        datastore.update(
            read.edit(
                document -> {
                  ObjectNode spec = (ObjectNode) document.get("spec");
                  spec.withObject("/bgp").put("ipv4Address", "192.0.2.9/24");
                  spec.remove("ipv4VXLANTunnelAddr");
                  spec.putObject("wireguard").put("interfaceIPv4Address", "10.65.0.4");
                }));

    assertThat(written).isEqualTo(datastore.get(NODE));
    ObjectNode stored = server.store().get("nodes", "node-a").orElseThrow();
    assertThat(JsonTrees.annotation(stored, "projectcalico.org/IPv4Address"))
        .isEqualTo("192.0.2.9/24");
    assertThat(JsonTrees.annotation(stored, "projectcalico.org/IPv4WireguardInterfaceAddr"))
        .isEqualTo("10.65.0.4");
    assertThat(
            JsonTrees.metadata(stored)
                .path("annotations")
                .has("projectcalico.org/IPv4VXLANTunnelAddr"))
        .isFalse();
    assertThat(JsonTrees.annotation(stored, "projectcalico.org/ASNumber")).isEqualTo("64512");
    assertThat(JsonTrees.annotation(stored, "other")).isEqualTo("kept");
    assertThat(stored.at("/spec/taints/0/key").stringValue()).isEqualTo("x");
    assertThat(server.seen().stream().filter(seen -> seen.verb().equals("update")).toList())
        .singleElement()
        .extracting(seen -> seen.target().sub())
        .isEqualTo("status");
    assertThatThrownBy(() -> datastore.update(read)).isInstanceOf(ConflictException.class);
  }

  /** Review C17: labels that only Calico has are in an annotation; those of Kubernetes win. */
  @Test
  void calicosOwnLabelsOfANodeAreInAnAnnotation() {
    ResourceKey key = ResourceKey.of(Kind.NODE, "node-a");
    Resource read = datastore.get(key);
    datastore.update(
        read.edit(d -> d.withObject("/metadata/labels").put("rr", "yes").put("rack", "r1")));

    ObjectNode stored = server.store().get("nodes", "node-a").orElseThrow();
    assertThat(stored.at("/metadata/annotations/projectcalico.org~1labels").asString())
        .isEqualTo("{\"rr\":\"yes\"}");
    assertThat(stored.at("/metadata/labels").properties()).hasSize(1);
    Resource again = datastore.get(key);
    assertThat(again.labels())
        .containsExactlyInAnyOrderEntriesOf(Map.of("rack", "r1", "rr", "yes"));
    assertThat(again.text("metadata", "annotations", "projectcalico.org/labels")).isEmpty();
    assertThat(
            datastore.list(ResourceQuery.of(Kind.NODE)).items().stream()
                .filter(node -> node.key().equals(key))
                .toList())
        .extracting(Resource::labels)
        .containsExactly(again.labels());

    datastore.update(again.edit(d -> ((ObjectNode) d.at("/metadata/labels")).remove("rr")));

    assertThat(datastore.get(key).labels()).isEqualTo(Map.of("rack", "r1"));
    assertThat(server.store().get("nodes", "node-a").orElseThrow().at("/metadata/annotations"))
        .noneMatch(it -> it.asString("").contains("rr"));
  }

  @Test
  void labelsMachinesAndTheirEndAreKubernetesBusiness() {
    Resource read = datastore.get(NODE);

    assertThatThrownBy(
            () ->
                datastore.update(
                    read.edit(d -> d.withObject("/metadata/labels").put("rack", "r2"))))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("kubectl label node");
    assertThatThrownBy(() -> datastore.delete(read)).isInstanceOf(UnsupportedException.class);
    assertThatThrownBy(
            () ->
                datastore.create(
                    Resource.of((ResourceKey.Named) ResourceKey.of(Kind.NODE, "node-b"), _ -> {})))
        .isInstanceOf(UnsupportedException.class);
    assertThatThrownBy(() -> datastore.get(new ResourceKey.IpamHost("node-a")))
        .isInstanceOf(UnsupportedException.class);
  }
}
