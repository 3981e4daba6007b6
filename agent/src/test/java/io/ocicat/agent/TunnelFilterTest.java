package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Lan;
import io.ocicat.testkit.Udp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may send encapsulated packets: nodes to nodes, and nobody else. */
@Hosts
class TunnelFilterTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir Path folder;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.pool(
        "v4", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always").put("ipipMode", "Never"));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private TestAgent agent(Host host, Map<String, String> felix) {
    return new TestAgent(host, cluster.datastore(), "node1", folder, felix).awaitSync();
  }

  private void addOwnNode(Host host, Lan lan) {
    host.exec("ip", "link", "set", lan.plug(host, "192.168.7.1/24"), "name", "eth0");
    cluster.node("node1", "192.168.7.1/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
    cluster.block("10.65.1.0/26", "node1");
  }

  /** A host that has what it takes to send a packet to the node's tunnel address, as a node. */
  private static void addTunnel(Host host, Lan lan, int number) {
    lan.plug(host, "192.168.7.%d/24".formatted(number));
    host.exec(
        ("ip link add vxlan.calico type vxlan id 4096 dstport 4789 nolearning"
                + " local 192.168.7.%d remote 192.168.7.1")
            .formatted(number)
            .split(" "));
    host.exec("ip", "address", "add", "10.65.%d.0/32".formatted(number), "dev", "vxlan.calico");
    host.exec("ip", "link", "set", "vxlan.calico", "up");
    host.exec("ip route add 10.65.1.0/32 dev vxlan.calico".split(" "));
    host.exec(
        "ip neighbour replace 10.65.1.0 lladdr 66:f9:37:c3:7e:94 dev vxlan.calico nud permanent"
            .split(" "));
  }

  /** How many packets the node's tunnel has delivered. */
  private static long delivered(Host node) {
    return node.json("ip", "-j", "-s", "link", "show", "vxlan.calico")
        .path(0)
        .path("stats64")
        .path("rx")
        .path("packets")
        .asLong();
  }

  private static boolean isDelivered(Host node, Host from) {
    long before = delivered(node);
    from.tryExec("ping", "-c2", "-i0.01", "-W0.1", "-q", "10.65.1.0");
    return delivered(node) > before;
  }

  @Test
  void onlyKnownNodesReachTheTunnel(Host node, Host known, Host stranger) {
    try (Lan lan = Lan.open()) {
      addOwnNode(node, lan);
      addTunnel(known, lan, 2);
      addTunnel(stranger, lan, 3);
      cluster.node("known", "192.168.7.2/24", it -> it.put("ipv4VXLANTunnelAddr", "10.65.2.0"));
      try (TestAgent agent = agent(node, Map.of())) {
        assertThat(isDelivered(node, known)).as("%s", agent.status()).isTrue();
        // The count may still rise by what the known node has sent.
        Eventually.await("an unknown one is not", LIMIT, () -> !isDelivered(node, stranger));

        cluster.node("late", "192.168.7.3/24", it -> it.put("ipv4VXLANTunnelAddr", "10.65.3.0"));
        Eventually.await("a new node is heard", LIMIT, () -> isDelivered(node, stranger));
        cluster.delete(Kind.NODE, "late");
        Eventually.await("a removed one is not", LIMIT, () -> !isDelivered(node, stranger));
        assertThat(isDelivered(node, known)).isTrue();
      }
      try (TestAgent _ =
          agent(node, Map.of("FELIX_EXTERNALNODESCIDRLIST", "192.168.7.3, 192.0.2.0/24"))) {
        Eventually.await("an external node is heard", LIMIT, () -> isDelivered(node, stranger));
      }
    }
  }

  @Test
  void aNodeThatComesChangesOneElement(Host node) {
    try (Lan lan = Lan.open()) {
      addOwnNode(node, lan);
      for (int i = 2; i < 50; i++) {
        int number = i;
        cluster.node(
            "node-" + i,
            "192.168.7.%d/24".formatted(i),
            spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.%d.0".formatted(number)));
      }
      try (TestAgent agent = agent(node, Map.of())) {
        long before = agent.status().writes();
        cluster.node("late", "192.168.7.60/24", it -> it.put("ipv4VXLANTunnelAddr", "10.65.60.0"));
        Eventually.passes(
            LIMIT,
            () ->
                assertThat(
                        node.exec("nft", "list", "set", "inet", "ocicat_agent", "vxlan4").stdout())
                    .contains("192.168.7.60"));
        Eventually.await("neighbours", () -> agent.status().writes() >= before + 3);
        assertThat(agent.status().writes())
            .as("an element, a neighbour and a forwarding entry")
            .isEqualTo(before + 3);
      }
    }
  }

  @Test
  void aWorkloadSendsEncapsulatedPacketsOnlyWhereThatIsAllowed(Host node, Host two, Host pod) {
    node.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    node.exec("ip", "link", "set", "wire0", "name", "eth0");
    two.exec("ip", "route", "add", "10.65.0.0/16", "via", "192.168.7.1");
    cluster.node("node1", "192.168.7.1/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
    cluster.block("10.65.1.0/26", "node1");
    TestNodes.addPod(cluster, node, pod, "node1", 1);
    try (TestAgent agent = agent(node, Map.of())) {
      Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
      assertThat(isReceived(pod, two, 4790)).as("any other port").isTrue();
      assertThat(isReceived(pod, two, 4789)).as("VXLAN").isFalse();
    }
    try (TestAgent agent = agent(node, Map.of("FELIX_ALLOWVXLANPACKETSFROMWORKLOADS", "true"))) {
      Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
      assertThat(isReceived(pod, two, 4789)).as("VXLAN, allowed").isTrue();
    }
  }

  private static boolean isReceived(Host from, Host to, int port) {
    try (NetNs source = NetNs.open(from.path());
        NetNs target = NetNs.open(to.path());
        Udp sender = Udp.bind(source::visit, "10.65.1.7", 0);
        Udp receiver = Udp.bind(target::visit, "192.168.7.2", port)) {
      sender.send("hello", "192.168.7.2", port);
      return !receiver.isSilent();
    }
  }
}
