package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Kills an agent with SIGKILL after each write to the datastore and each exchange with the kernel,
 * of a first start and of an update. The next agent finishes it, and no packet is lost.
 *
 * <p>Each kill costs the start of a JVM. See {@link DyingPoints#chosen} for which of them a run
 * makes.
 */
@Hosts
class AgentKillTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path folder;

  /** A host that has a node's interface, and no trace of an agent. */
  private static Host newHost() {
    Host host = Host.open();
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "-6", "address", "add", "fd00:7::1/64", "dev", "eth0", "nodad");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    return host;
  }

  private static Map<String, String> environment(Path datastore) {
    return Map.of(
        "DATASTORE_TYPE", "embedded",
        "OCICAT_STATE_DIR", datastore.toString(),
        "NODENAME", "node1",
        "IP", "192.168.7.1/24",
        "IP6", "fd00:7::1/64",
        "CALICO_IPV4POOL_CIDR", "10.65.0.0/16",
        "CALICO_IPV4POOL_VXLAN", "Always",
        "CALICO_IPV6POOL_CIDR", "fd00:65::/48",
        "CALICO_IPV6POOL_VXLAN", "Always",
        "FELIX_FLOATINGIPS", "Enabled");
  }

  @Test
  void aFirstStartThatIsKilledIsFinishedByTheNext() throws Exception {
    int all;
    try (Host host = newHost()) {
      Path own = folder.resolve("counted");
      AgentProcess.dieAt(own, 0);
      try (AgentProcess agent = AgentProcess.start(host, own, environment(own))) {
        agent.awaitReport("ready", AgentKillTest::isReady);
        all = AgentProcess.passed(own).size();
      }
      assertThat(AgentProcess.passed(own))
          .contains("before commit", "after commit", "endpoint status is written");
    }
    for (int point : DyingPoints.chosen(all)) {
      try (Host host = newHost()) {
        killStart(host, folder.resolve("start" + point), point);
      }
    }
  }

  private void killStart(Host host, Path own, int point) throws Exception {
    AgentProcess.dieAt(own, point);
    try (AgentProcess killed = AgentProcess.start(host, own, environment(own))) {
      killed.awaitDeath();
    }
    AgentProcess.dieNowhere(own);
    String where = "killed at point %d, %s".formatted(point, AgentProcess.passed(own).getLast());
    try (TestCluster cluster = TestCluster.embedded(own)) {
      if (Files.exists(own.resolve("nodename"))) {
        assertThat(tunnelAddresses(cluster)).as(where + ": the name means registered").hasSize(2);
      }
      try (AgentProcess next = AgentProcess.start(host, own, environment(own))) {
        next.awaitReport(where, AgentKillTest::isReady);
      }
      assertThat(Files.readString(own.resolve("nodename"))).as(where).isEqualTo("node1");
      assertThat(usedAddresses(cluster))
          .as(where + ": every address in use is a tunnel's")
          .containsExactlyInAnyOrderElementsOf(tunnelAddresses(cluster));
      assertThat(cluster.datastore().list(ResourceQuery.of(Kind.IP_POOL)).items())
          .as(where)
          .hasSize(2);
      assertNothingIsWritten(host, own, where);
    }
  }

  private static boolean isReady(JsonNode report) {
    return report.path("ready").asBoolean() && report.path("problems").isEmpty();
  }

  private static List<IpAddress> tunnelAddresses(TestCluster cluster) {
    Resource node = cluster.datastore().get(ResourceKey.of(Kind.NODE, "node1"));
    return List.of("ipv4VXLANTunnelAddr", "ipv6VXLANTunnelAddr").stream()
        .flatMap(member -> node.text("spec", member).stream())
        .map(IpAddress::parse)
        .toList();
  }

  private static List<IpAddress> usedAddresses(TestCluster cluster) {
    return cluster.datastore().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
        .flatMap(block -> Ipam.inUse(IpamBlock.of(block)).stream())
        .map(AddressInfo::address)
        .toList();
  }

  private static void assertNothingIsWritten(Host host, Path own, String where) {
    try (TestCluster cluster = TestCluster.embedded(own);
        TestAgent agent =
            new TestAgent(
                    host, cluster.datastore(), "node1", own, Map.of("FELIX_FLOATINGIPS", "Enabled"))
                .awaitSync()) {
      assertThat(agent.status().writes()).as(where + ": " + agent.log()).isZero();
    }
  }

  @Test
  void anUpdateThatIsKilledIsFinishedByTheNextWithoutAPacketLost(
      Host one, Host two, Host podOne, Host podTwo) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    Path own = folder.resolve("1");
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      cluster.pool(
          "v4", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always").put("ipipMode", "Never"));
      TestNodes.addNode(cluster, one, "node1", 1);
      TestNodes.addNode(cluster, two, "node2", 2);
      cluster.tunnelAddress("10.65.1.0", "node1");
      TestNodes.addPod(cluster, one, podOne, "node1", 1);
      TestNodes.addPod(cluster, two, podTwo, "node2", 2);
      one.exec("ip", "link", "add", "cali2", "type", "veth", "peer", "name", "pod2");
      one.exec("ip", "link", "set", "pod2", "up");
      one.exec("ip", "link", "set", "cali2", "up");
      try (TestAgent _ =
          new TestAgent(two, cluster.datastore(), "node2", folder.resolve("2"), Map.of())
              .awaitSync()) {
        killUpdates(one, podOne, podTwo, cluster, own);
      }
      assertNothingIsWrittenBy(one, cluster, own);
    }
  }

  private static void assertNothingIsWrittenBy(Host one, TestCluster cluster, Path own) {
    try (TestAgent agent =
        new TestAgent(
                one, cluster.datastore(), "node1", own, Map.of("FELIX_FLOATINGIPS", "Enabled"))
            .awaitSync()) {
      assertThat(agent.status().writes()).as("%s", agent.log()).isZero();
    }
  }

  private void killUpdates(Host one, Host podOne, Host podTwo, TestCluster cluster, Path own) {
    Map<String, String> environment =
        Map.of(
            "DATASTORE_TYPE", "embedded",
            "OCICAT_STATE_DIR", folder.resolve("datastore").toString(),
            "NODENAME", "node1",
            "IP", "192.168.7.1/24",
            "NO_DEFAULT_POOLS", "true",
            "FELIX_FLOATINGIPS", "Enabled");
    AgentProcess agent = AgentProcess.start(one, own, environment);
    try {
      agent.awaitReport("one endpoint", report -> report.path("readyEndpoints").asInt() == 1);
      Eventually.await("a path", () -> TestNodes.reaches(podOne, "10.65.2.7"));
      String before = state(one);
      Background flood = podOne.start("ping", "-i", "0.005", "-q", "10.65.2.7");
      AgentProcess.dieAt(own, 0);
      update(cluster);
      agent.awaitReport("two endpoints", report -> report.path("readyEndpoints").asInt() == 2);
      int all = AgentProcess.passed(own).size();
      AgentProcess.dieNowhere(own);
      String after = state(one);
      assertThat(after).isNotEqualTo(before);
      revert(cluster);
      Eventually.passes(LIMIT, () -> assertThat(state(one)).isEqualTo(before));
      for (int point : DyingPoints.chosen(all)) {
        AgentProcess.dieAt(own, point);
        update(cluster);
        agent.awaitDeath();
        AgentProcess.dieNowhere(own);
        String where = "killed at point %d, %s".formatted(point, AgentProcess.passed(own));
        assertThat(TestNodes.reaches(podTwo, "10.65.1.7")).as(where + ": a new path").isTrue();
        agent.close();
        agent = AgentProcess.start(one, own, environment);
        agent.awaitReport(where, report -> report.path("readyEndpoints").asInt() == 2);
        Eventually.passes(LIMIT, () -> assertThat(state(one)).as(where).isEqualTo(after));
        assertThat(statusFiles(own)).as(where).isEqualTo(2);
        revert(cluster);
        Eventually.passes(LIMIT, () -> assertThat(state(one)).as(where).isEqualTo(before));
      }
      one.exec("kill", "-INT", Long.toString(flood.pid()));
      assertThat(flood.await(LIMIT).stdout()).contains(" 0% packet loss");
    } finally {
      agent.close();
    }
  }

  /** Something for every reconciler: device, entries, table, sysctls, routes, status. */
  private static void update(TestCluster cluster) {
    cluster.edit(Kind.FELIX_CONFIGURATION, "node.node1", spec -> spec.put("vxlanMTU", 1400));
    cluster.node("node3", "192.168.7.3/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.3.0"));
    cluster.block("10.65.3.0/26", "node3");
    cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", true));
    cluster.endpoint("node1", "second", "cali2", "ee:ee:ee:00:00:02", "10.65.1.9/32");
  }

  private static void revert(TestCluster cluster) {
    cluster.deleteEndpoint("node1", "second");
    cluster.edit(Kind.IP_POOL, "v4", spec -> spec.put("natOutgoing", false));
    cluster.releaseBlock("10.65.3.0/26", "node3");
    cluster.delete(Kind.NODE, "node3");
    cluster.edit(Kind.FELIX_CONFIGURATION, "node.node1", spec -> spec.remove("vxlanMTU"));
  }

  private static long statusFiles(Path own) {
    try (var files = Files.list(own.resolve("endpoint-status"))) {
      return files.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String state(Host host) {
    return host.exec(
            "sh",
            "-c",
            """
            ip route | sort
            ip neighbour show nud permanent | sort
            bridge fdb show dev vxlan.calico | grep dst | sort
            ip -d link show vxlan.calico | grep -o 'mtu [0-9]*\\|link/ether [^ ]*'
            ip -4 -brief address show vxlan.calico
            nft list table inet ocicat_agent
            """)
        .stdout();
  }
}
