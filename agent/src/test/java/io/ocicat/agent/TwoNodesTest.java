package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes with an agent each, a pod on either, and real packets between them. */
@Hosts
class TwoNodesTest {
  private static final Map<String, String> FELIX = Map.of("FELIX_FLOATINGIPS", "Enabled");

  @TempDir Path folder;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static void awaitReady(TestAgent agent) {
    Eventually.passes(
        Duration.ofSeconds(10),
        () -> assertThat(agent.status().readyEndpoints()).as("%s", agent.status()).isOne());
  }

  private static boolean hasRoute(Host host, String destination) {
    return !host.exec("ip", "route", "show", destination).stdout().isBlank();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Never", "Always"})
  void podsReachEachOtherAndTheOutside(String vxlan, Host one, Host two, Host podOne, Host podTwo) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    one.exec("ip", "-6", "address", "add", "fd00:7::1/64", "dev", "wire0", "nodad");
    two.exec("ip", "-6", "address", "add", "fd00:7::2/64", "dev", "wire0", "nodad");
    cluster.pool(
        "v4",
        "10.65.0.0/16",
        spec -> spec.put("vxlanMode", vxlan).put("ipipMode", "Never").put("natOutgoing", true));
    cluster.pool("v6", "fd00:65::/48", spec -> spec.put("vxlanMode", vxlan));
    TestNodes.addNode(cluster, one, "node1", 1);
    TestNodes.addNode(cluster, two, "node2", 2);
    TestNodes.addPod(cluster, one, podOne, "node1", 1);
    TestNodes.addPod(cluster, two, podTwo, "node2", 2);
    try (TestAgent first =
            new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX);
        TestAgent second =
            new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), FELIX)) {
      awaitReady(first);
      awaitReady(second);
      Eventually.await("IPv4", () -> TestNodes.reaches(podOne, "10.65.2.7"));
      Eventually.await("IPv6", () -> TestNodes.reaches(podOne, "fd00:65::2:7"));
      assertThat(TestNodes.reaches(podTwo, "10.65.1.7", "-M", "do", "-s", "1400"))
          .as("full MTU")
          .isTrue();
      // Masqueraded, or the other node would have no route back from outside the pools.
      two.exec("ip", "address", "add", "203.0.113.9/32", "dev", "lo");
      one.exec("ip", "route", "add", "203.0.113.9", "via", "192.168.7.2");
      assertThat(TestNodes.reaches(podOne, "203.0.113.9")).as("the outside").isTrue();
      assertThat(one.exec("conntrack", "-L", "-d", "203.0.113.9").stdout())
          .contains("src=10.65.1.7", "dst=192.168.7.1");
      // The floating address of a pod, from another pod's node and from the pod itself.
      one.exec("ip", "route", "add", "198.51.100.2", "via", "192.168.7.2");
      Eventually.await(
          "the floating address answers", () -> TestNodes.reaches(one, "198.51.100.2"));
      assertThat(TestNodes.reaches(podTwo, "198.51.100.2")).as("from the pod itself").isTrue();
    }
  }

  /** As with Felix, tunnels of the cluster's nodes are open whatever a host endpoint says. */
  @Test
  void aHostEndpointThatClosesTheNodeKeepsItsTunnelOpen(
      Host one, Host two, Host podOne, Host podTwo) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    cluster.pool("v4", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always"));
    TestNodes.addNode(cluster, one, "node1", 1);
    TestNodes.addNode(cluster, two, "node2", 2);
    TestNodes.addPod(cluster, one, podOne, "node1", 1);
    TestNodes.addPod(cluster, two, podTwo, "node2", 2);
    try (TestAgent second =
            new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), FELIX);
        TestAgent first =
            new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX)) {
      awaitReady(first);
      awaitReady(second);
      Eventually.await("a path", () -> TestNodes.reaches(podOne, "10.65.2.7"));
      assertThat(TestNodes.reaches(two, "192.168.7.1")).isTrue();
      cluster
          .datastore()
          .create(
              Resource.of(
                  new ResourceKey.Named(Kind.HOST_ENDPOINT, "", "node1"),
                  spec -> spec.put("node", "node1").put("interfaceName", "*")));
      Eventually.await("the node closed", () -> !TestNodes.reaches(two, "192.168.7.1"));
      assertThat(TestNodes.reaches(podOne, "10.65.2.7")).isTrue();
      assertThat(TestNodes.reaches(podTwo, "10.65.1.7")).isTrue();
    }
  }

  @Test
  void nothingIsLostWhileAnAgentIsRestartedAndPoolsChange(
      Host one, Host two, Host podOne, Host podTwo) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    cluster.pool("v4", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always"));
    TestNodes.addNode(cluster, one, "node1", 1);
    TestNodes.addNode(cluster, two, "node2", 2);
    TestNodes.addPod(cluster, one, podOne, "node1", 1);
    TestNodes.addPod(cluster, two, podTwo, "node2", 2);
    try (TestAgent second =
        new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), FELIX)) {
      try (TestAgent first =
          new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX)) {
        awaitReady(first);
        awaitReady(second);
        Eventually.await("IPv4", () -> TestNodes.reaches(podOne, "10.65.2.7"));
      }
      Background flood = podOne.start("ping", "-i", "0.005", "-q", "10.65.2.7");
      for (int round = 0; round < 3; round++) {
        try (TestAgent again =
            new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX)) {
          awaitReady(again);
          cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", true));
          cluster.node(
              "node9", "192.168.7.9/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.9.0"));
          cluster.block("10.65.9.0/26", "node9");
          Eventually.await("a route to the new node", () -> hasRoute(one, "10.65.9.0/26"));
          cluster.delete(Kind.NODE, "node9");
          cluster.releaseBlock("10.65.9.0/26", "node9");
          Eventually.await("its end", () -> !hasRoute(one, "10.65.9.0/26"));
          cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", false));
        }
      }
      one.exec("kill", "-INT", Long.toString(flood.pid()));
      assertThat(flood.await(Duration.ofSeconds(10)).stdout()).contains(" 0% packet loss");
    }
  }
}
