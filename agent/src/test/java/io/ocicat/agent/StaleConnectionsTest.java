package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
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
import tools.jackson.databind.node.ObjectNode;

/** Connections of an address go when the address moves to another workload, or to none. */
@Hosts
class StaleConnectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String MAC = "ee:ee:ee:00:00:01";

  @TempDir Path folder;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.node("node1", "192.168.7.1/24");
    cluster.pool("p", "10.65.0.0/16", _ -> {});
    cluster.endpoint("node1", "web", "cali1", MAC, "10.65.2.7/32", "fd00:65::7/128");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private TestAgent agent(Host host) {
    TestAgent agent =
        new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync();
    Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
    return agent;
  }

  private static void addLink(Host host, String name) {
    host.exec("ip", "link", "add", name, "type", "veth", "peer", "name", "p" + name);
    host.exec("ip", "link", "set", "p" + name, "up");
    host.exec("ip", "link", "set", name, "up");
  }

  /** One from the address, one to it by a translated address, one of each of another address. */
  private static void addConnections(Host host) {
    connection(host, "10.65.2.7", "203.0.113.5", "203.0.113.5", 1001);
    connection(host, "203.0.113.9", "198.51.100.7", "10.65.2.7", 1002);
    connection(host, "fd00:65::7", "2001:db8::5", "2001:db8::5", 1003);
    connection(host, "10.65.2.8", "203.0.113.5", "203.0.113.5", 2001);
    connection(host, "203.0.113.9", "198.51.100.8", "10.65.2.8", 2002);
    // What goes to the address untranslated has it as the source of the replies.
    connection(host, "203.0.113.10", "10.65.2.7", "10.65.2.7", 1004);
    assertThat(ports(host)).isEqualTo("1001 1002 1003 1004 2001 2002");
  }

  private static void connection(Host host, String from, String to, String really, int port) {
    host.exec(
        "conntrack",
        "-I",
        "-p",
        "udp",
        "-s",
        from,
        "-d",
        to,
        "--reply-src",
        really,
        "--reply-dst",
        from,
        "--sport",
        Integer.toString(port),
        "--dport",
        "53",
        "--reply-port-src",
        "53",
        "--reply-port-dst",
        Integer.toString(port),
        "-t",
        "600");
  }

  private static String ports(Host host) {
    return host.exec(
            "sh",
            "-c",
            "(conntrack -L; conntrack -L -f ipv6) 2>/dev/null"
                + " | sed -n 's/.*sport=\\([12]00[0-9]\\) .*dport=53 .*/\\1/p' | sort -u")
        .stdout()
        .strip()
        .replace('\n', ' ');
  }

  private static void awaitPorts(Host host, String expected) {
    Eventually.passes(LIMIT, () -> assertThat(ports(host)).isEqualTo(expected));
  }

  private void move(String interfaceName) {
    ResourceKey key = ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "default", "node1-k8s-web-eth0");
    Resource before = cluster.datastore().get(key);
    cluster
        .datastore()
        .update(
            before.edit(
                document ->
                    ((ObjectNode) document.path("spec")).put("interfaceName", interfaceName)));
  }

  @Test
  void thoseOfARemovedAddressGo(Host host) {
    addLink(host, "cali1");
    try (TestAgent _ = agent(host)) {
      addConnections(host);
      cluster.deleteEndpoint("node1", "web");
      awaitPorts(host, "2001 2002");
    }
  }

  @Test
  void thoseOfAnAddressThatMovesToAnotherLinkGo(Host host) {
    addLink(host, "cali1");
    addLink(host, "cali2");
    try (TestAgent _ = agent(host)) {
      addConnections(host);
      move("cali2");
      awaitPorts(host, "2001 2002");
      assertThat(host.exec("ip", "route", "show", "10.65.2.7").stdout()).contains("dev cali2");
    }
  }

  @Test
  void thoseOfAnAddressThatWentWhileNoAgentRanGo(Host host) {
    addLink(host, "cali1");
    try (TestAgent _ = agent(host)) {
      addConnections(host);
    }
    cluster.deleteEndpoint("node1", "web");
    cluster.endpoint("node1", "other", "cali1", MAC, "10.65.2.9/32");
    try (TestAgent _ = agent(host)) {
      awaitPorts(host, "2001 2002");
    }
  }

  @Test
  void aRestartAndARepairKeepThem(Host host) {
    addLink(host, "cali1");
    // As the CNI plugin makes it, and the agent replaces it.
    host.exec("ip", "route", "add", "10.65.2.7", "dev", "cali1", "scope", "link");
    try (TestAgent _ = agent(host)) {
      addConnections(host);
    }
    host.exec("ip", "route", "add", "10.65.2.7", "dev", "cali1", "scope", "link");
    try (TestAgent agent = agent(host)) {
      host.exec("ip", "route", "del", "10.65.2.7", "metric", "1024");
      Eventually.await("repair", () -> agent.log().toString().contains("restored"));
      Eventually.await(
          "one route",
          () -> host.exec("ip", "route", "show", "10.65.2.7").stdout().lines().count() == 1);
      // A connection that does go shows that there was time for the others.
      connection(host, "10.65.2.77", "203.0.113.5", "203.0.113.5", 2003);
      addLink(host, "cali77");
      cluster.endpoint("node1", "late", "cali77", MAC, "10.65.2.77/32");
      Eventually.await("ready", () -> agent.status().readyEndpoints() == 2);
      cluster.deleteEndpoint("node1", "late");
      awaitPorts(host, "1001 1002 1003 1004 2001 2002");
    }
  }
}
