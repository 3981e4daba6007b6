package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pools with IPIP. Where the kernel has no such tunnels, everything else works, and the agent is
 * not ready and says why.
 */
@Hosts
class IpipTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  @TempDir Path folder;

  @Test
  void tunl0IsSetUpOrReadinessSaysWhatTheKernelLacks(Host host) {
    connect(host);
    try (TestCluster cluster = cluster("Always");
        TestAgent agent =
            new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync()) {
      if (hasIpip(host)) {
        Eventually.passes(
            LONG,
            () ->
                assertThat(host.exec("ip", "route", "show", "10.65.1.0/26").stdout())
                    .isEqualTo(
                        "10.65.1.0/26 via 192.168.7.2 dev tunl0 proto 80 onlink mtu 1480 \n"));
        String device = host.exec("ip", "address", "show", "tunl0").stdout();
        assertThat(device).contains("mtu 1480", "UP", "inet 10.65.2.0/32");
        assertThat(agent.status().isReady()).isTrue();
        cluster.edit(Kind.IP_POOL, "p", spec -> spec.put("ipipMode", "Never"));
        Eventually.passes(
            LONG,
            () ->
                assertThat(host.exec("ip", "address", "show", "tunl0").stdout())
                    .doesNotContain("inet"));
      } else {
        Eventually.await("not ready", () -> !agent.status().isReady());
        assertThat(agent.status().problems())
            .anySatisfy(
                problem ->
                    assertThat(problem)
                        .contains(
                            "create ipip \"tunl0\"",
                            "EOPNOTSUPP",
                            "this kernel has no IPIP: load its module (modprobe ipip), or set"
                                + " ipipMode of the pools to Never"));
        assertThat(agent.log().stream().filter(line -> line.contains("no IPIP"))).hasSize(1);
        assertThat(host.exec("ip", "route", "show", "10.65.1.0/26").stdout()).isEmpty();

        cluster.edit(
            Kind.IP_POOL, "p", spec -> spec.put("ipipMode", "Never").put("vxlanMode", "Never"));
        Eventually.await("ready", () -> agent.status().isReady());
        assertThat(agent.status().problems()).isEmpty();
      }
    }
  }

  @Test
  void packetsTravelThroughTheTunnelWhereThereIsOne(Host one, Host two) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    addNode(one, 1);
    addNode(two, 2);
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      cluster.pool("p", "10.65.0.0/16", spec -> spec.put("ipipMode", "Always"));
      for (int number = 1; number <= 2; number++) {
        String tunnel = "10.65.%d.0".formatted(number);
        cluster.node(
            "node" + number,
            "192.168.7.%d/24".formatted(number),
            spec -> spec.withObject("/bgp").put("ipv4IPIPTunnelAddr", tunnel));
        cluster.block(tunnel + "/26", "node" + number);
      }
      try (TestAgent a = agent(one, cluster, "node1");
          TestAgent b = agent(two, cluster, "node2")) {
        if (hasIpip(one)) {
          Eventually.await("ready", () -> a.status().isReady() && b.status().isReady());
          one.exec("ping", "-c3", "-W2", "-I", "10.65.1.7", "-M", "do", "-s", "1452", "10.65.2.7");
          assertThat(two.exec("ip", "-s", "link", "show", "tunl0").stdout())
              .containsPattern("RX:.*\\n\\s+4440 +3 ");
          one.exec("ip", "address", "flush", "dev", "tunl0");
          Eventually.await(
              "restored",
              () -> a.log().stream().anyMatch(line -> line.startsWith("tunl0 was changed")));
          one.exec("ping", "-c1", "-W2", "-I", "10.65.1.7", "10.65.2.7");
        } else {
          Eventually.await("not ready", () -> !a.status().isReady() && !b.status().isReady());
        }
      }
    }
  }

  /** An address of the node's block stands for a pod. */
  private static void addNode(Host node, int number) {
    node.exec("ip", "link", "set", "lo", "up");
    node.exec("ip", "address", "add", "10.65.%d.7/32".formatted(number), "dev", "lo");
  }

  private TestAgent agent(Host host, TestCluster cluster, String node) {
    return new TestAgent(
            host, cluster.datastore(), node, folder.resolve(node + "-status"), Map.of())
        .awaitSync();
  }

  @Test
  void crossSubnetNeedsNoTunnelToANodeInTheSameSubnet(Host host) {
    connect(host);
    try (TestCluster cluster = cluster("CrossSubnet");
        TestAgent _ =
            new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync()) {
      Eventually.passes(
          LONG,
          () ->
              assertThat(host.exec("ip", "route", "show", "10.65.1.0/26").stdout())
                  .isEqualTo("10.65.1.0/26 via 192.168.7.2 dev eth0 proto 80 onlink \n"));
    }
  }

  private TestCluster cluster(String mode) {
    TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.pool("p", "10.65.0.0/16", spec -> spec.put("ipipMode", mode));
    cluster.node(
        "node1",
        "192.168.7.1/24",
        spec -> spec.withObject("/bgp").put("ipv4IPIPTunnelAddr", "10.65.2.0"));
    cluster.node("node2", "192.168.7.2/24");
    cluster.node("node3", "192.168.8.3/24");
    cluster.block("10.65.1.0/26", "node2");
    cluster.block("10.65.3.0/26", "node3");
    return cluster;
  }

  private static void connect(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  private static boolean hasIpip(Host host) {
    return host.tryExec("ip", "link", "show", "tunl0").succeeded();
  }
}
