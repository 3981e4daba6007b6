package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent does to the kernel of its node, as {@code ip}, {@code bridge} and nft see it. */
@Hosts
class AgentTest {
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final String MAC = "ee:ee:ee:00:00:01";

  @TempDir Path folder;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.node("node1", "192.168.7.1/24");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private TestAgent agent(Host host) {
    return agent(host, Map.of());
  }

  private TestAgent agent(Host host, Map<String, String> felix) {
    return new TestAgent(host, cluster.datastore(), "node1", folder, felix).awaitSync();
  }

  /** The node's own interface, at 192.168.7.1/24. */
  private static void connect(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  /** The host end of a pod's veth pair, with the route that the CNI plugin makes. */
  private static void addPod(Host host, String name, String address) {
    host.exec("ip", "link", "add", name, "type", "veth", "peer", "name", "c" + name.substring(4));
    host.exec("ip", "link", "set", "c" + name.substring(4), "up");
    host.exec("ip", "link", "set", name, "up");
    host.exec("ip", "route", "add", address, "dev", name, "scope", "link");
  }

  private static void eventually(Runnable assertion) {
    Eventually.passes(LONG, assertion);
  }

  private static String routes(Host host, String... filter) {
    List<String> argv = new ArrayList<>(List.of("ip", "route", "show"));
    argv.addAll(List.of(filter));
    return host.exec(argv.toArray(String[]::new)).stdout().strip().replaceAll(" +\n", "\n").strip();
  }

  @Test
  void blocksOfOtherNodesAreReachedByTheirAddress(Host host) {
    connect(host);
    cluster.pool("p", "10.65.0.0/16", _ -> {});
    cluster.node("node2", "192.168.7.2/24");
    cluster.block("10.65.1.0/26", "node2");
    cluster.block("10.65.2.0/26", "node1");
    try (TestAgent agent = agent(host)) {
      assertThat(routes(host, "10.65.1.0/26"))
          .isEqualTo("10.65.1.0/26 via 192.168.7.2 dev eth0 proto 80 onlink");
      assertThat(routes(host, "10.65.2.0/26")).isEqualTo("blackhole 10.65.2.0/26 proto 80");
      assertThat(agent.status().problems()).isEmpty();

      cluster.edit(Kind.NODE, "node2", spec -> spec.putObject("bgp").put("ipv4Address", "192.168.7.9/24"));
      eventually(
          () ->
              assertThat(routes(host, "10.65.1.0/26"))
                  .isEqualTo("10.65.1.0/26 via 192.168.7.9 dev eth0 proto 80 onlink"));
      assertThat(agent.log()).as("a change is not a repair").hasSize(1);
      cluster.delete(Kind.NODE, "node2");
      eventually(() -> assertThat(routes(host, "10.65.1.0/26")).isEmpty());
    }
  }

  @Test
  void aBorrowedAddressLeadsToTheNodeThatUsesIt(Host host) {
    connect(host);
    cluster.pool("p", "10.65.0.0/16", _ -> {});
    cluster.node("node2", "192.168.7.2/24");
    cluster.block("10.65.1.0/26", "node1");
    cluster.address("10.65.1.5", "node2");
    try (TestAgent _ = agent(host)) {
      assertThat(routes(host, "10.65.1.5"))
          .isEqualTo("10.65.1.5 via 192.168.7.2 dev eth0 proto 80 onlink");
    }
  }

  @Test
  void aTunnelIsMadeWhereAPoolUsesVxlan(Host host) {
    connect(host);
    cluster.pool("p", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always"));
    cluster.edit(Kind.NODE, "node1", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.2.0"));
    cluster.node("node-a", "192.168.7.2/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
    cluster.block("10.65.1.0/26", "node-a");
    try (TestAgent agent = agent(host)) {
      String device = host.exec("ip", "-d", "link", "show", "vxlan.calico").stdout();
      assertThat(device)
          .contains("mtu 1450")
          .contains("link/ether 66:f9:37:c3:7e:94")
          .contains("vxlan id 4096 local 192.168.7.1 dev eth0 srcport 0 0 dstport 4789 nolearning");
      assertThat(host.exec("ip", "-4", "-brief", "address", "show", "vxlan.calico").stdout())
          .contains("10.65.2.0/32");
      assertThat(routes(host, "10.65.1.0/26"))
          .isEqualTo("10.65.1.0/26 via 10.65.1.0 dev vxlan.calico onlink mtu 1450");
      assertThat(host.exec("bridge", "fdb", "show", "dev", "vxlan.calico").stdout())
          .contains("66:07:02:c1:cc:60 dst 192.168.7.2 self permanent");
      assertThat(host.exec("ip", "neighbour", "show", "dev", "vxlan.calico").stdout())
          .contains("10.65.1.0 lladdr 66:07:02:c1:cc:60 PERMANENT");
      assertThat(agent.workloadMtu()).isEqualTo(1450);

      cluster.delete(Kind.IP_POOL, "p");
      eventually(
          () ->
              assertThat(host.tryExec("ip", "link", "show", "vxlan.calico").succeeded()).isFalse());
    }
  }

  @Test
  void crossSubnetTunnelsOnlyToOtherSubnets(Host host) {
    connect(host);
    cluster.pool("p", "10.65.0.0/16", spec -> spec.put("vxlanMode", "CrossSubnet"));
    cluster.edit(Kind.NODE, "node1", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.2.0"));
    cluster.node("near", "192.168.7.2/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
    cluster.node("far", "192.168.9.2/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.3.0"));
    cluster.block("10.65.1.0/26", "near");
    cluster.block("10.65.3.0/26", "far");
    try (TestAgent _ = agent(host)) {
      assertThat(routes(host, "10.65.1.0/26"))
          .isEqualTo("10.65.1.0/26 via 192.168.7.2 dev eth0 proto 80 onlink");
      assertThat(routes(host, "10.65.3.0/26"))
          .isEqualTo("10.65.3.0/26 via 10.65.3.0 dev vxlan.calico onlink mtu 1450");
    }
  }

  @Test
  void anEndpointGetsItsRouteNeighbourSysctlsAndStatus(Host host) throws Exception {
    connect(host);
    cluster.pool("p", "10.65.0.0/16", _ -> {});
    try (TestAgent agent = agent(host)) {
      addPod(host, "cali1", "10.65.2.7");
      cluster.endpoint("node1", "web", "cali1", MAC, "10.65.2.7/32");
      Path file = folder.resolve("endpoint-status/k8s default%2Fweb eth0");
      Eventually.await("status file", () -> Files.exists(file));
      assertThat(Files.readString(file))
          .isEqualTo(
              "{\"ifaceName\":\"cali1\",\"mac\":\"ee:ee:ee:00:00:01\",\"ipv4Nets\":[\"10.65.2.7/32\"]}");
      assertThat(routes(host, "10.65.2.7"))
          .isEqualTo("10.65.2.7 dev cali1 scope link metric 1024");
      assertThat(host.exec("ip", "neighbour", "show", "dev", "cali1").stdout())
          .contains("10.65.2.7 lladdr ee:ee:ee:00:00:01 PERMANENT");
      assertThat(host.exec("sysctl", "-n", "net.ipv4.conf.cali1.proxy_arp").stdout().strip())
          .isEqualTo("1");

      cluster.deleteEndpoint("node1", "web");
      Eventually.await("status file gone", () -> !Files.exists(file));
      eventually(() -> assertThat(agent.status().endpoints()).isZero());
    }
  }

  @Test
  void aRestartWithNothingChangedWritesNothing(Host host) {
    connect(host);
    cluster.pool(
        "p", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always").put("natOutgoing", true));
    cluster.pool("q", "10.66.0.0/16", _ -> {});
    cluster.edit(Kind.NODE, "node1", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.2.0"));
    cluster.node("node-a", "192.168.7.2/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
    cluster.block("10.65.1.0/26", "node-a");
    cluster.block("10.66.1.0/26", "node-a");
    cluster.block("10.65.2.0/26", "node1");
    addPod(host, "cali1", "10.65.2.7");
    cluster.endpoint(
        "node1",
        "web",
        "cali1",
        MAC,
        spec ->
            spec.putArray("ipNATs")
                .addObject()
                .put("internalIP", "10.65.2.7")
                .put("externalIP", "198.51.100.7"),
        "10.65.2.7/32");
    Map<String, String> felix = Map.of("FELIX_FLOATINGIPS", "Enabled");
    try (TestAgent first = agent(host, felix)) {
      eventually(() -> assertThat(first.status().readyEndpoints()).as("%s", first.status()).isOne());
      assertThat(first.status().writes()).isPositive();
    }
    try (TestAgent second = agent(host, felix)) {
      eventually(() -> assertThat(second.status().readyEndpoints()).as("%s", second.status()).isOne());
      assertThat(second.status().writes()).isZero();
      assertThat(second.log()).hasSize(1);
    }
  }

  @Test
  void theMtuIsThatOfTheLinkWithTheNodesAddress(Host host) {
    connect(host);
    host.exec("ip", "link", "set", "eth0", "mtu", "9000");
    host.exec("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "up1");
    host.exec("ip", "link", "set", "up1", "up");
    host.exec("ip", "link", "set", "eth1", "mtu", "1300", "up");
    cluster.pool("p", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always"));
    try (TestAgent agent = agent(host)) {
      eventually(() -> assertThat(agent.workloadMtu()).isEqualTo(8950));
      host.exec("ip", "link", "set", "eth0", "mtu", "1500");
      eventually(() -> assertThat(agent.workloadMtu()).isEqualTo(1450));
      cluster.create(
          Kind.FELIX_CONFIGURATION, "default", spec -> spec.put("vxlanMTU", 1234));
      eventually(() -> assertThat(agent.workloadMtu()).isEqualTo(1234));
    }
  }

  @Test
  void forwardingIsSwitchedOnUnlessConfiguredOtherwise(Host host) {
    connect(host);
    host.exec("sysctl", "-qw", "net.ipv4.ip_forward=0", "net.ipv6.conf.all.forwarding=0");
    try (TestAgent _ = agent(host, Map.of("FELIX_IPFORWARDING", "Disabled"))) {
      assertThat(forwarding(host)).isEqualTo("0 0");
    }
    try (TestAgent _ = agent(host)) {
      eventually(() -> assertThat(forwarding(host)).isEqualTo("1 1"));
    }
  }

  private static String forwarding(Host host) {
    return host.exec("sysctl", "-n", "net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")
        .stdout()
        .strip()
        .replace('\n', ' ');
  }
}
