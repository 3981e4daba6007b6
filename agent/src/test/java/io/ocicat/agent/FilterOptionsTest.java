package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.kernel.FilterOptions;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** What an operator can ask of the packet filter. */
@Hosts
class FilterOptionsTest {
  private static final String POD = "10.65.2.7";
  private static final String OUTSIDE = "203.0.113.9";
  private static final String NODE = "192.168.7.1";

  @TempDir Path folder;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.node("node1", NODE + "/24");
    cluster.pool("p", "10.65.0.0/16", _ -> {});
    cluster.endpoint("node1", "web", "cali1", "ee:ee:ee:00:00:01", POD + "/32");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private TestAgent agent(Host host, FilterOptions options) {
    TestAgent agent =
        new TestAgent(
                host,
                cluster.datastore(),
                "node1",
                folder,
                Map.of(),
                new ReadyEndpoints(),
                options,
                null)
            .awaitSync();
    Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
    return agent;
  }

  private static void addLinks(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "peth0");
    host.exec("ip", "address", "add", NODE + "/24", "dev", "eth0");
    host.exec("ip", "link", "add", "cali1", "type", "veth", "peer", "name", "pod1");
    for (String link : new String[] {"eth0", "peth0", "cali1", "pod1"}) {
      host.exec("ip", "link", "set", link, "up");
    }
  }

  /** A connection as the kernel would have it; the source port tells which it is. */
  private static void connection(Host host, String from, String to, int source, int port) {
    host.exec(
        "conntrack",
        "-I",
        "-p",
        "udp",
        "-s",
        from,
        "-d",
        to,
        "--sport",
        Integer.toString(source),
        "--dport",
        Integer.toString(port),
        "-t",
        "600");
  }

  /** The source ports of those that are left. */
  private static String connections(Host host) {
    return host.exec(
            "sh",
            "-c",
            "conntrack -L 2>/dev/null | sed -n 's/.* src=[^ ]* dst=[^ ]* sport=\\(100[0-9]\\)"
                + " dport.*src=.*/\\1/p' | sort -u")
        .stdout()
        .strip()
        .replace('\n', ' ');
  }

  private static void addConnections(Host host) {
    connection(host, OUTSIDE, POD, 1001, 53);
    connection(host, OUTSIDE, POD, 1002, 54);
    connection(host, POD, OUTSIDE, 1003, 53);
    connection(host, NODE, POD, 1004, 54);
    connection(host, OUTSIDE, "10.65.2.8", 1005, 54);
  }

  /** Only port 53 reaches the pod, and the pod reaches nobody. */
  private void allowPort53() {
    cluster
        .datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.GLOBAL_NETWORK_POLICY, "", "dns"),
                spec -> {
                  spec.put("tier", "default").put("selector", "all()");
                  spec.putArray("types").add("Ingress").add("Egress");
                  ObjectNode rule = spec.putArray("ingress").addObject();
                  rule.put("action", "Allow").put("protocol", "UDP");
                  rule.putObject("destination").putArray("ports").add(53);
                }));
  }

  private static void awaitPolicy(Host host) {
    Eventually.await(
        "the policy",
        () -> host.exec("nft", "list", "table", "inet", "ocicat_policy").stdout().contains("53"));
  }

  @Test
  void connectionsThatANewPolicyDeniesAreEndedAndOthersKept(Host host) {
    addLinks(host);
    try (TestAgent agent = agent(host, new FilterOptions(false, true))) {
      addConnections(host);
      allowPort53();
      Eventually.await("two are gone", () -> connections(host).equals("1001 1004 1005"));
      assertThat(agent.log()).anyMatch(line -> line.contains("2 IPv4 connections that policy"));
    }
  }

  @Test
  void withoutTheOptionTheyGoOn(Host host) {
    addLinks(host);
    try (TestAgent _ = agent(host, FilterOptions.USUAL)) {
      addConnections(host);
      allowPort53();
      awaitPolicy(host);
      assertThat(connections(host)).isEqualTo("1001 1002 1003 1004 1005");
    }
  }

  @Test
  void tablesThatFelixLeftAreNamedAndRemovedOnRequest(Host host) {
    addLinks(host);
    host.exec("nft", "add", "table", "ip", "calico");
    host.exec("nft", "add", "table", "arp", "calico-arp");
    host.exec("nft", "add", "table", "ip", "somebody");
    try (TestAgent agent = agent(host, FilterOptions.USUAL)) {
      assertThat(agent.status().problems())
          .anyMatch(line -> line.contains("ip calico") && line.contains("--take-over"));
    }
    try (TestAgent agent = agent(host, new FilterOptions(true, false))) {
      assertThat(host.exec("nft", "list", "tables").stdout())
          .doesNotContain("calico")
          .contains("table ip somebody", "table inet ocicat_policy");
      assertThat(agent.log()).contains("removed Felix's table ip calico");
      Eventually.await("no problem", () -> agent.status().problems().isEmpty());
    }
  }
}
