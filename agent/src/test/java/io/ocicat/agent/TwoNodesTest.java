package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
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

  /** A node at 192.168.7.x and fd00:7::x, with a tunnel address in its own block. */
  private void addNode(Host node, String name, int number) {
    node.exec("ip", "link", "set", "wire0", "name", "eth0");
    cluster.create(
        Kind.NODE,
        name,
        spec -> {
          spec.putObject("bgp")
              .put("ipv4Address", "192.168.7.%d/24".formatted(number))
              .put("ipv6Address", "fd00:7::%d/64".formatted(number));
          spec.put("ipv4VXLANTunnelAddr", "10.65.%d.0".formatted(number));
          spec.put("ipv6VXLANTunnelAddr", "fd00:65::%d:0".formatted(number));
        });
    cluster.block("10.65.%d.0/26".formatted(number), name);
    if (cluster.hasPool("v6")) {
      cluster.block("fd00:65::%d:0/122".formatted(number), name);
    }
  }

  /** A pod as the calico plugin attaches it. */
  private void addPod(Host node, Host pod, String nodeName, int number) {
    node.exec(
        "ip", "link", "add", "cali1", "type", "veth", "peer", "name", "eth0", "netns", pod.name());
    node.exec("ip", "link", "set", "cali1", "address", "ee:ee:ee:ee:ee:ee", "up");
    String address = "10.65.%d.7".formatted(number);
    String address6 = "fd00:65::%d:7".formatted(number);
    pod.exec("ip", "link", "set", "eth0", "mtu", "1430", "up");
    pod.exec("ip", "address", "add", address, "dev", "eth0");
    pod.exec("ip", "-6", "address", "add", address6, "dev", "eth0", "nodad");
    pod.exec("ip", "route", "add", "169.254.1.1", "dev", "eth0", "scope", "link");
    pod.exec("ip", "route", "add", "default", "via", "169.254.1.1");
    pod.exec("ip", "neighbour", "add", "169.254.1.1", "lladdr", "ee:ee:ee:ee:ee:ee", "dev", "eth0");
    pod.exec(
        "ip", "-6", "route", "add", "default", "via", "fe80::ecee:eeff:feee:eeee", "dev", "eth0");
    node.exec("ip", "route", "add", address, "dev", "cali1", "scope", "link");
    String mac = pod.json("ip", "-j", "link", "show", "eth0").path(0).path("address").asString("");
    cluster.endpoint(
        nodeName,
        "pod" + number,
        "cali1",
        mac,
        spec ->
            spec.putArray("ipNATs")
                .addObject()
                .put("internalIP", address)
                .put("externalIP", "198.51.100." + number),
        address + "/32",
        address6 + "/128");
  }

  private static void awaitReady(TestAgent agent) {
    Eventually.passes(
        Duration.ofSeconds(10),
        () -> assertThat(agent.status().readyEndpoints()).as("%s", agent.status()).isOne());
  }

  private static boolean reaches(Host from, String to, String... options) {
    String[] argv = new String[options.length + 5];
    argv[0] = "ping";
    argv[1] = "-c1";
    argv[2] = "-W1";
    argv[3] = "-q";
    System.arraycopy(options, 0, argv, 4, options.length);
    argv[argv.length - 1] = to;
    return from.tryExec(argv).succeeded();
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
    addNode(one, "node1", 1);
    addNode(two, "node2", 2);
    addPod(one, podOne, "node1", 1);
    addPod(two, podTwo, "node2", 2);
    try (TestAgent first =
            new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX);
        TestAgent second =
            new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), FELIX)) {
      awaitReady(first);
      awaitReady(second);
      Eventually.await("IPv4", () -> reaches(podOne, "10.65.2.7"));
      Eventually.await("IPv6", () -> reaches(podOne, "fd00:65::2:7"));
      assertThat(reaches(podTwo, "10.65.1.7", "-M", "do", "-s", "1400")).as("full MTU").isTrue();
      // Masqueraded, or the other node would have no route back from outside the pools.
      two.exec("ip", "address", "add", "203.0.113.9/32", "dev", "lo");
      one.exec("ip", "route", "add", "203.0.113.9", "via", "192.168.7.2");
      assertThat(reaches(podOne, "203.0.113.9")).as("the outside").isTrue();
      assertThat(one.exec("conntrack", "-L", "-d", "203.0.113.9").stdout())
          .contains("src=10.65.1.7", "dst=192.168.7.1");
      // The floating address of a pod, from another pod's node and from the pod itself.
      one.exec("ip", "route", "add", "198.51.100.2", "via", "192.168.7.2");
      Eventually.await("the floating address answers", () -> reaches(one, "198.51.100.2"));
      assertThat(reaches(podTwo, "198.51.100.2")).as("from the pod itself").isTrue();
    }
  }

  @Test
  void nothingIsLostWhileAnAgentIsRestartedAndPoolsChange(
      Host one, Host two, Host podOne, Host podTwo) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    cluster.pool("v4", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always"));
    addNode(one, "node1", 1);
    addNode(two, "node2", 2);
    addPod(one, podOne, "node1", 1);
    addPod(two, podTwo, "node2", 2);
    try (TestAgent second =
        new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), FELIX)) {
      try (TestAgent first =
          new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX)) {
        awaitReady(first);
        awaitReady(second);
        Eventually.await("IPv4", () -> reaches(podOne, "10.65.2.7"));
      }
      Background flood = podOne.start("ping", "-i", "0.005", "-q", "10.65.2.7");
      for (int round = 0; round < 3; round++) {
        try (TestAgent again =
            new TestAgent(one, cluster.datastore(), "node1", folder.resolve("1"), FELIX)) {
          awaitReady(again);
          cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", true));
          cluster.node("node9", "192.168.7.9/24");
          cluster.block("10.65.9.0/26", "node9");
          Eventually.await(
              "route", () -> one.exec("ip", "route", "show", "10.65.9.0/26").stdout().isEmpty());
          cluster.delete(Kind.NODE, "node9");
          cluster.releaseBlock("10.65.9.0/26", "node9");
          cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", false));
        }
      }
      one.exec("kill", "-INT", Long.toString(flood.pid()));
      assertThat(flood.await(Duration.ofSeconds(10)).stdout()).contains(" 0% packet loss");
    }
  }
}
