package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Lan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Kills an agent that does flanneld's job with SIGKILL after each write of its lease and each
 * exchange with the kernel. The next agent finishes it with one lease, and no packet is lost.
 */
@Hosts
class FlannelKillTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String SUBNETS = "/coreos.com/network/subnets/";

  @TempDir Path folder;

  private static void plug(Lan lan, Host host, int number) {
    String device = lan.plug(host, "192.168.7.%d/24".formatted(number));
    host.exec("ip", "link", "set", device, "down");
    host.exec("ip", "link", "set", device, "name", "eth0");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  private Map<String, String> environment(Path own, Path datastore) {
    return Map.of(
        "DATASTORE_TYPE", "embedded",
        "OCICAT_STATE_DIR", datastore.toString(),
        "NODENAME", "node1",
        "IP", "192.168.7.1/24",
        "NO_DEFAULT_POOLS", "true",
        "OCICAT_FLANNEL", "true",
        "FLANNELD_IFACE", "eth0",
        "FLANNELD_SUBNET_FILE", own.resolve("run/subnet.env").toString(),
        "FLANNELD_NET_CONFIG_PATH", folder.resolve("net-conf.json").toString());
  }

  private void configure() throws Exception {
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}");
  }

  private static boolean isReady(JsonNode report) {
    return report.path("ready").asBoolean() && report.path("problems").isEmpty();
  }

  @Test
  void aFirstStartThatIsKilledIsFinishedByTheNextWithOneLease() throws Exception {
    configure();
    int all;
    try (Host host = Host.open();
        Lan lan = Lan.open()) {
      plug(lan, host, 1);
      Path own = folder.resolve("counted");
      AgentProcess.dieAt(own, 0);
      try (AgentProcess agent = AgentProcess.start(host, own, environment(own, own))) {
        agent.awaitReport("ready", FlannelKillTest::isReady);
        awaitDevice(host);
        all = AgentProcess.passed(own).size();
      }
      assertThat(AgentProcess.passed(own)).contains("after grantLease", "after commit");
    }
    for (int point : DyingPoints.chosen(all)) {
      try (Host host = Host.open();
          Lan lan = Lan.open()) {
        plug(lan, host, 1);
        killStart(host, folder.resolve("start" + point), point);
      }
    }
  }

  private static void awaitDevice(Host host) {
    Eventually.await(
        "the device",
        LIMIT,
        () -> host.tryExec("ip", "-brief", "link", "show", "up", "flannel.1").succeeded());
  }

  private void killStart(Host host, Path own, int point) throws Exception {
    AgentProcess.dieAt(own, point);
    try (AgentProcess killed = AgentProcess.start(host, own, environment(own, own))) {
      killed.awaitDeath();
    }
    AgentProcess.dieNowhere(own);
    String where = "killed at point %d, %s".formatted(point, AgentProcess.passed(own).getLast());
    try (AgentProcess next = AgentProcess.start(host, own, environment(own, own))) {
      next.awaitReport(where, FlannelKillTest::isReady);
      awaitDevice(host);
    }
    try (TestCluster cluster = TestCluster.embedded(own)) {
      List<KeyValue> leases = leases(cluster);
      assertThat(leases).as(where).hasSize(1);
      String subnet = leases.getFirst().key().substring(SUBNETS.length());
      assertThat(Files.readString(own.resolve("run/subnet.env")))
          .as(where)
          .contains("FLANNEL_SUBNET=" + subnet.replaceFirst("\\.0-", ".1/"));
    }
  }

  private static KeyValueStore store(TestCluster cluster) {
    return ((KeyValueDatastore) cluster.datastore()).store();
  }

  private static List<KeyValue> leases(TestCluster cluster) {
    return store(cluster).range(RangeQuery.all(SUBNETS)).entries();
  }

  @Test
  void aChangeThatIsKilledIsFinishedByTheNextWithoutAPacketLost(Host one, Host two)
      throws Exception {
    configure();
    Path datastore = folder.resolve("datastore");
    Path own = folder.resolve("1");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(datastore)) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      Path second = Files.createDirectories(folder.resolve("2"));
      try (FlannelNode other =
          new FlannelNode(two, cluster.datastore(), "node2", second, Map.of()).awaitLease()) {
        killChanges(one, other, cluster, own, environment(own, datastore));
      }
    }
  }

  private void killChanges(
      Host one, FlannelNode other, TestCluster cluster, Path own, Map<String, String> environment) {
    AgentProcess agent = AgentProcess.start(one, own, environment);
    try {
      agent.awaitReport("ready", FlannelKillTest::isReady);
      String peer = other.addPod(false);
      Eventually.await(
          "a path", LIMIT, () -> one.tryExec("ping", "-c1", "-W1", "-q", peer).succeeded());
      String before = state(one);
      Background flood = one.start("ping", "-i", "0.005", "-O", "-D", peer);
      AgentProcess.dieAt(own, 0);
      change(cluster);
      Eventually.passes(LIMIT, () -> assertThat(state(one)).contains("10.50.200.0/24 via"));
      String after = awaitSettled(one);
      int all = AgentProcess.passed(own).size();
      AgentProcess.dieNowhere(own);
      revert(cluster);
      Eventually.passes(LIMIT, () -> assertThat(state(one)).isEqualTo(before));
      for (int point : DyingPoints.chosen(all)) {
        AgentProcess.dieAt(own, point);
        change(cluster);
        agent.awaitDeath();
        AgentProcess.dieNowhere(own);
        String where = "killed at point %d, %s".formatted(point, AgentProcess.passed(own));
        agent.close();
        agent = AgentProcess.start(one, own, environment);
        Eventually.passes(LIMIT, () -> assertThat(state(one)).as(where).isEqualTo(after));
        agent.awaitReport(where, FlannelKillTest::isReady);
        revert(cluster);
        Eventually.passes(LIMIT, () -> assertThat(state(one)).as(where).isEqualTo(before));
        assertThat(leases(cluster)).as(where).hasSize(2);
      }
      one.exec("kill", "-INT", Long.toString(flood.pid()));
      assertThat(flood.await(LIMIT).stdout()).contains(" 0% packet loss");
    } finally {
      agent.close();
    }
  }

  /** A node comes. */
  private static void change(TestCluster cluster) {
    store(cluster)
        .commit(
            Transaction.put(
                SUBNETS + "10.50.200.0-24",
                "{\"PublicIP\":\"192.168.7.200\",\"PublicIPv6\":null,\"BackendType\":\"vxlan\",\"BackendData\":{\"VNI\":1,\"VtepMAC\":\"0a:11:22:33:44:55\"}}"));
  }

  private static void revert(TestCluster cluster) {
    store(cluster).commit(Transaction.delete(SUBNETS + "10.50.200.0-24"));
  }

  /** Route, neighbour and forwarding entry come one after the other. */
  private static String awaitSettled(Host host) {
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(state(host))
                .contains("10.50.200.0/24 via", "10.50.200.0 lladdr", "dst 192.168.7.200"));
    return state(host);
  }

  private static String state(Host host) {
    return host.exec(
            "sh",
            "-c",
            """
            ip route | sort
            ip neighbour show dev flannel.1 nud permanent | sort
            bridge fdb show dev flannel.1 | grep dst | sort
            ip -d link show flannel.1 | grep -o 'mtu [0-9]*\\|link/ether [^ ]*'
            nft list table ip flannel-ipv4
            """)
        .stdout();
  }
}
