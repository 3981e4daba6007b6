package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class KubernetesNodeStartupTest extends NodeStartupSuite {
  private final TestCluster cluster = new TestCluster(ApiGroup.V1);
  private final Datastore datastore = cluster.open();

  @AfterEach
  void close() {
    datastore.close();
    cluster.close();
  }

  @Override
  DatastoreConfig config() {
    return new DatastoreConfig.Kubernetes(
        "", new Secret(""), "", cluster.url(), new Secret(""), "", "", "", false, false, "", 0, 0);
  }

  @Override
  Datastore datastore() {
    return datastore;
  }

  @Override
  void join(String node) {
    cluster.node(node, Map.of("kubernetes.io/hostname", node));
  }

  private NodeStartup startup(NetNs host, Map<String, String> environment) {
    return new NodeStartup(
        datastore,
        config(),
        host,
        new StartupSettings(environment),
        new NodeFiles(folder.resolve("nodename"), folder.resolve("mtu")),
        ClockAndRandom.ofSystem());
  }

  @Test
  void theNodeIsInTheAnnotationsOfKubernetesNode(Host machine) {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      startup(host, Map.of("NODENAME", "node-a", "CALICO_IPV4POOL_VXLAN", "Always")).start();
    }

    ObjectNode node = cluster.get("nodes", "node-a").orElseThrow();
    String tunnel =
        datastore
            .get(ResourceKey.of(Kind.NODE, "node-a"))
            .text("spec", "ipv4VXLANTunnelAddr")
            .orElseThrow();
    assertThat(node.at("/metadata/annotations").toString())
        .isEqualTo(
            ("{'projectcalico.org/IPv4Address':'192.0.2.10/24',"
                    + "'projectcalico.org/Interfaces':"
                    + "'[{\\'name\\':\\'eth0\\',\\'addresses\\':[\\'192.0.2.10\\']}]',"
                    + "'projectcalico.org/IPv4VXLANTunnelAddr':'"
                    + tunnel
                    + "'}")
                .replace('\'', '"'));
  }

  @Test
  void theInternalAddressIsThatOfTheKubernetesNode(Host machine) {
    ObjectNode joined = Json.object();
    joined
        .putObject("status")
        .putArray("addresses")
        .addObject()
        .put("type", "InternalIP")
        .put("address", "192.0.2.11");
    cluster.put("nodes", "node-a", joined);
    give(machine, "192.0.2.10/24", "192.0.2.11/24");
    try (NetNs host = NetNs.open(machine.path())) {
      LocalNode node =
          startup(
                  host,
                  Map.of("NODENAME", "node-a", "IP_AUTODETECTION_METHOD", "kubernetes-internal-ip"))
              .start();

      assertThat(node.ipv4()).hasToString("Optional[192.0.2.11/24]");
    }
  }

  @Test
  void theRangesOfNodesAreLeftToKubernetes(Host machine) {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      LocalNode node =
          startup(host, Map.of("NODENAME", "node-a", "OCICAT_CLUSTER_CIDR", "10.244.0.0/16"))
              .start();

      assertThat(node.podCidrs()).isEmpty();
      assertThat(node.warnings())
          .singleElement()
          .asString()
          .startsWith("OCICAT_CLUSTER_CIDR is ignored: on Kubernetes kube-controller-manager");
    }
  }

  @Test
  void theSubnetOfPodsIsWhatKubeadmRecorded(Host machine) {
    join("node-a");
    ObjectNode map = Json.object();
    map.putObject("data")
        .put(
            "ClusterConfiguration",
            "kind: ClusterConfiguration\nnetworking:\n  podSubnet: 10.244.0.0/16,fd00:10::/56\n");
    cluster.put("configmaps", "kube-system", "kubeadm-config", map);
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      startup(host, Map.of("NODENAME", "node-a")).start();
    }

    assertThat(
            datastore.get(ResourceKey.of(Kind.IP_POOL, "default-ipv4-ippool")).text("spec", "cidr"))
        .contains("10.244.0.0/16");
    assertThat(
            datastore.get(ResourceKey.of(Kind.IP_POOL, "default-ipv6-ippool")).text("spec", "cidr"))
        .contains("fd00:10::/56");
  }

  @Test
  void aNodeThatKubernetesDoesNotHaveIsNamed(Host machine) {
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      NodeStartup startup = startup(host, Map.of("NODENAME", "node-z"));

      assertThatThrownBy(startup::start)
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("Kubernetes has no node \"node-z\": set NODENAME");
    }
  }

  @Test
  void theConditionOfTheNodeIsWrittenWhenItDiffers() {
    ObjectNode joined = Json.object();
    joined
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True");
    cluster.put("nodes", "node-a", joined);
    NetworkUnavailableCondition condition =
        new NetworkUnavailableCondition(datastore.cluster(), "node-a", "Calico");

    assertThat(condition.set(true)).isTrue();
    assertThat(condition.set(true)).isFalse();
    ObjectNode node = cluster.get("nodes", "node-a").orElseThrow();
    assertThat(node.at("/status/conditions")).hasSize(2);
    assertThat(node.at("/status/conditions/1/status").asString()).isEqualTo("False");
    assertThat(node.at("/status/conditions/1/reason").asString()).isEqualTo("CalicoIsUp");

    assertThat(condition.set(false)).isTrue();
    assertThat(cluster.get("nodes", "node-a").orElseThrow().at("/status/conditions/1/status"))
        .hasToString("\"True\"");
  }
}
