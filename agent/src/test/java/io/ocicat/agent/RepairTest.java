package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever somebody else removes or changes is restored, and the log names it; what is not the
 * agent's is left alone.
 */
@Hosts
class RepairTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** One way to break the node, and what the log says about it. */
  private record Sabotage(String command, String logged) {}

  @TempDir Path folder;

  @Test
  void everythingThatIsRemovedOrChangedComesBack(Host host) throws Exception {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "link", "add", "cali1", "type", "veth", "peer", "name", "pod1");
    host.exec("ip", "link", "set", "pod1", "up");
    host.exec("ip", "link", "set", "cali1", "up");
    host.exec("ip", "route", "add", "203.0.113.0/24", "via", "192.168.7.254");
    host.exec("nft", "add", "table", "inet", "foreign");
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      cluster.pool(
          "p", "10.65.0.0/16", spec -> spec.put("vxlanMode", "Always").put("natOutgoing", true));
      cluster.pool("q", "10.66.0.0/16", _ -> {});
      cluster.node("node1", "192.168.7.1/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.2.0"));
      cluster.node(
          "node-a", "192.168.7.2/24", spec -> spec.put("ipv4VXLANTunnelAddr", "10.65.1.0"));
      cluster.block("10.65.1.0/26", "node-a");
      cluster.block("10.66.1.0/26", "node-a");
      cluster.block("10.66.2.0/26", "node1");
      cluster.endpoint("node1", "web", "cali1", "ee:ee:ee:00:00:01", "10.65.2.7/32");
      try (TestAgent agent =
          new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync()) {
        Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
        String before = state(host);
        for (Sabotage sabotage :
            new Sabotage[] {
              new Sabotage("ip route del 10.65.1.0/26", "route 10.65.1.0/26"),
              new Sabotage("ip route del 10.66.1.0/26", "route 10.66.1.0/26"),
              new Sabotage("ip route del blackhole 10.66.2.0/26", "blackhole 10.66.2.0/26"),
              new Sabotage("ip route del 10.65.2.7 metric 1024", "route 10.65.2.7"),
              new Sabotage(
                  "ip route replace 10.66.1.0/26 via 192.168.7.77 dev eth0 proto 80 onlink",
                  "192.168.7.77"),
              new Sabotage("ip neighbour del 10.65.1.0 dev vxlan.calico", "neighbour 10.65.1.0"),
              new Sabotage(
                  "ip neighbour replace 10.65.2.7 lladdr 02:00:00:00:00:09 dev cali1 nud permanent",
                  "02:00:00:00:00:09"),
              new Sabotage(
                  "bridge fdb del 66:07:02:c1:cc:60 dev vxlan.calico dst 192.168.7.2 self",
                  "fdb entry 66:07:02:c1:cc:60"),
              new Sabotage("ip link set vxlan.calico address 02:00:00:00:00:08", "MAC address"),
              new Sabotage("ip link set vxlan.calico mtu 1400", "MTU 1400"),
              new Sabotage("ip link set vxlan.calico down", "down"),
              new Sabotage("ip address flush dev vxlan.calico", "without address 10.65.2.0/32"),
              new Sabotage("ip link del vxlan.calico", "vxlan.calico was removed"),
              new Sabotage("nft delete table inet ocicat_agent", "table inet ocicat_agent"),
              new Sabotage("nft flush ruleset", "table inet ocicat_agent"),
              new Sabotage(
                  "nft flush chain inet ocicat_agent postrouting", "table inet ocicat_agent"),
              new Sabotage(
                  "nft delete element inet ocicat_agent masqueraded4 {10.65.0.0/16}",
                  "table inet ocicat_agent"),
              new Sabotage("sysctl -qw net.ipv4.conf.cali1.proxy_arp=0", "proxy_arp"),
              new Sabotage("sysctl -qw net.ipv4.conf.cali1.route_localnet=0", "route_localnet"),
              new Sabotage("sysctl -qw net.ipv4.ip_forward=0", "ip_forward"),
            }) {
          agent.log().clear();
          host.exec("sh", "-c", sabotage.command());
          Eventually.passes(
              LIMIT,
              () -> {
                assertThat(agent.log())
                    .as(sabotage.command())
                    .anySatisfy(line -> assertThat(line).contains(sabotage.logged()));
                assertThat(state(host)).as(sabotage.command()).isEqualTo(before);
              });
        }
        Path file = folder.resolve("endpoint-status/k8s default%2Fweb eth0");
        Files.delete(file);
        Eventually.await("the status file is back", () -> Files.exists(file));
        assertThat(host.exec("ip", "route", "show", "203.0.113.0/24").stdout())
            .contains("via 192.168.7.254");
      }
    }
  }

  /** All that the agent is responsible for, as the tools print it. */
  private static String state(Host host) {
    Function<String, String> run = command -> host.tryExec("sh", "-c", command).stdout();
    return String.join(
        "\n",
        run.apply("ip route | sort"),
        run.apply("ip neighbour show nud permanent | sort"),
        run.apply("bridge fdb show dev vxlan.calico | grep dst"),
        run.apply(
            "ip -d link show vxlan.calico | sed 's/^[0-9]*: //; s/qlen .*//; s/state [A-Z]*//'"),
        run.apply("ip -4 -brief address show vxlan.calico"),
        run.apply("nft list table inet ocicat_agent"),
        run.apply(
            "sysctl net.ipv4.ip_forward net.ipv4.conf.cali1.proxy_arp net.ipv4.conf.cali1.route_localnet"));
  }

  @Test
  void aRouteThatIsNotOursIsNotReplaced(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "route", "add", "10.66.1.0/26", "via", "192.168.7.77", "proto", "static");
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      cluster.pool("q", "10.66.0.0/16", _ -> {});
      cluster.node("node1", "192.168.7.1/24");
      cluster.node("node-a", "192.168.7.2/24");
      cluster.block("10.66.1.0/26", "node-a");
      try (TestAgent agent =
          new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync()) {
        assertThat(agent.status().problems())
            .singleElement()
            .asString()
            .contains("10.66.1.0/26 via 192.168.7.2", "IPAMBlock 10.66.1.0/26", "192.168.7.77");
        host.exec("ip", "route", "del", "10.66.1.0/26");
        Eventually.passes(
            LIMIT,
            () ->
                assertThat(host.exec("ip", "route", "show", "10.66.1.0/26").stdout())
                    .contains("via 192.168.7.2"));
        cluster.delete(Kind.NODE, "node-a");
        Eventually.await(
            "the route goes with its node",
            () -> host.exec("ip", "route", "show", "10.66.1.0/26").stdout().isBlank());
      }
    }
  }
}
