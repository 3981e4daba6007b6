package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.cluster.ClusterCidr;
import io.ocicat.datastore.cluster.NodeCidrs.Allocated;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What Kubernetes' nodes and namespaces say to the plugin, where there is no Kubernetes. */
@Hosts
class WithoutKubernetesTest {
  private static final List<ClusterCidr> RANGES =
      List.of(
          new ClusterCidr(IpPrefix.parse("10.244.0.0/16"), 24),
          new ClusterCidr(IpPrefix.parse("fd00:10::/48"), 64));

  enum Engine {
    EMBEDDED,
    ETCD
  }

  @SuppressWarnings("NullAway.Init") // by start
  private static Etcd etcd;

  @TempDir Path files;
  @TempDir Path state;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @BeforeAll
  static void start() {
    etcd = new Etcd("--unsafe-no-fsync").start();
  }

  @AfterAll
  static void stop() {
    etcd.close();
  }

  private void open(Engine engine) {
    store =
        switch (engine) {
          case EMBEDDED -> Store.embedded(state);
          case ETCD -> Store.etcd(etcd.url());
        };
    store.reset();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private CalicoNode node(Host host, String name) {
    return CalicoNode.of(host, store, files.resolve(name)).named(name);
  }

  private void give(String name) {
    if (!name.equals(PodApi.NODE)) {
      store.open().create(Resource.of(new ResourceKey.Named(Kind.NODE, "", name), _ -> {}));
    }
    assertThat(store.open().cluster().nodeCidrs().orElseThrow().ensure(name, RANGES))
        .isInstanceOf(Allocated.class);
  }

  private static ObjectNode local(CalicoNode node, Path leases) {
    ObjectNode config = node.pooled(Families.BOTH);
    config.set(
        "ipam",
        CniJson.parse(
            """
            {"type": "host-local", "dataDir": "%s",
             "ranges": [[{"subnet": "usePodCidr"}], [{"subnet": "usePodCidrIPv6"}]]}
            """
                .formatted(leases)));
    return config;
  }

  /** The routes of the agent between nodes are added by hand here. */
  @ParameterizedTest
  @EnumSource
  void podsOfTwoNodesHaveAddressesOfTheirNodesRanges(
      Engine engine, Host one, Host two, Host a, Host b) {
    open(engine);
    give("node-a");
    give("node-b");
    one.connect(two, "192.0.2.1/24", "192.0.2.2/24");
    one.exec("ip", "route", "add", "default", "via", "192.0.2.2");
    two.exec("ip", "route", "add", "default", "via", "192.0.2.1");
    one.exec("ip", "route", "add", "10.244.1.0/24", "via", "192.0.2.2");
    two.exec("ip", "route", "add", "10.244.0.0/24", "via", "192.0.2.1");
    CalicoNode first = node(one, "node-a");
    CalicoNode second = node(two, "node-b");
    Calling here = first.call(local(first, files.resolve("leases-a")), a);
    Calling there = second.call(local(second, files.resolve("leases-b")), b);

    here.status().ok();
    JsonNode onFirst = here.add().ok();
    JsonNode onSecond = there.add().ok();

    assertThat(onFirst.path("ips").findValuesAsString("address"))
        .containsExactly("10.244.0.2/32", "fd00:10::2/128");
    assertThat(onSecond.path("ips").findValuesAsString("address"))
        .containsExactly("10.244.1.2/32", "fd00:10:0:1::2/128");
    a.exec("ping", "-c1", "-W5", address(onSecond, 0));
    b.exec("ping", "-c1", "-W5", address(onFirst, 0));
    here.previous(onFirst).check().ok();
    here.del().ok();
    there.del().ok();
    assertThat(first.traces()).isEmpty();
    assertThat(files.resolve("leases-a/net1/10.244.0.2")).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  void aNodeWithoutARangeIsToldWhatToDo(Engine engine, Host host, Host pod) {
    open(engine);
    CalicoNode node = node(host, PodApi.NODE);

    CniException refused = node.call(local(node, files.resolve("leases")), pod).add().error();

    assertThat(refused.msg()).contains("no podCidr for node " + PodApi.NODE);
    assertThat(refused.details()).contains("OCICAT_CLUSTER_CIDR");
    assertThat(node.traces()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aNamespaceNamesThePoolOfItsPodsUnlessAPodDoes(
      Engine engine, Host host, Host a, Host b, Host c) {
    open(engine);
    store.pool("blue", "10.65.1.0/24", false);
    store.pool("green", "10.65.2.0/24", false);
    store.remove(ResourceKey.of(Kind.NAMESPACE, "shop"));
    ObjectNode shop = Json.object();
    shop.putObject("metadata")
        .putObject("annotations")
        .put("cni.projectcalico.org/ipv4pools", "[\"green\"]");
    store.open().create(Resource.of(ResourceKey.of(Kind.NAMESPACE, "shop"), shop));
    store.put(Store.pod("shop", "web", Map.of()));
    store.put(Store.pod("shop", "own", Map.of("cni.projectcalico.org/ipv4pools", "[\"blue\"]")));
    CalicoNode node = node(host, PodApi.NODE);
    ObjectNode config = node.pooled(Families.V4);

    assertThat(address(node.pod(config, a, "shop", "web").add().ok(), 0)).startsWith("10.65.2.");
    assertThat(address(node.pod(config, b, "shop", "own").add().ok(), 0)).startsWith("10.65.1.");
    assertThat(address(node.pod(config, c, "elsewhere", "web").add().ok(), 0))
        .as("a namespace that nobody annotated")
        .startsWith("10.65.");
  }
}
