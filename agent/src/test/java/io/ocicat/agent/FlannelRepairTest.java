package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever somebody else removes or changes of flannel's network is restored and named. */
@Hosts
class FlannelRepairTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String MAC = "0a:11:22:33:44:55";

  /** One way to break the node, and what the log says about it. */
  private record Sabotage(String command, String logged) {}

  @TempDir Path folder;

  private static void connect(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
  }

  private FlannelNode node(Host host, TestCluster cluster, String backend) throws Exception {
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"%s\"}}".formatted(backend));
    ((KeyValueDatastore) cluster.datastore())
        .store()
        .commit(
            Transaction.put(
                "/coreos.com/network/subnets/10.50.80.0-24",
                "{\"PublicIP\":\"192.168.7.80\",\"PublicIPv6\":null,\"BackendType\":\"%s\",\"BackendData\":{\"VNI\":1,\"VtepMAC\":\"%s\"}}"
                    .formatted(backend, MAC)));
    Path own = Files.createDirectories(folder.resolve("node1"));
    return new FlannelNode(
            host,
            cluster.datastore(),
            "node1",
            own,
            Map.of("FLANNELD_IP_MASQ", "true", "FLANNELD_IP_BLACKHOLE_ROUTE", "true"))
        .awaitLease();
  }

  private static void awaitRoute(Host host) {
    Eventually.await(
        "the route", () -> !host.exec("ip", "route", "show", "10.50.80.0/24").stdout().isBlank());
  }

  @Test
  void vxlanComesBackWithItsMacAddress(Host host) throws Exception {
    connect(host);
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        FlannelNode node = node(host, cluster, "vxlan")) {
      awaitRoute(host);
      repair(
          host,
          node,
          new Sabotage("ip route del 10.50.80.0/24", "route 10.50.80.0/24"),
          new Sabotage("ip route replace 10.50.80.0/24 via 192.168.7.77 dev eth0", "192.168.7.77"),
          new Sabotage("ip neighbour del 10.50.80.0 dev flannel.1", "neighbour 10.50.80.0"),
          new Sabotage(
              "bridge fdb del " + MAC + " dev flannel.1 dst 192.168.7.80 self", "fdb entry " + MAC),
          new Sabotage("ip link set flannel.1 address 02:00:00:00:00:08", "MAC address"),
          new Sabotage("ip link set flannel.1 mtu 1400", "MTU 1400"),
          new Sabotage("ip link set flannel.1 down", "down"),
          new Sabotage("ip address flush dev flannel.1", "without address"),
          new Sabotage("ip link del flannel.1", "flannel.1 was removed"),
          new Sabotage("nft delete table ip flannel-ipv4", "table ip flannel-ipv4"),
          new Sabotage("nft flush chain ip flannel-ipv4 postrtg", "table ip flannel-ipv4"),
          new Sabotage(
              "ip route del blackhole $(ip -4 route | sed -n 's/^blackhole \\([^ ]*\\).*/\\1/p')"
                  + " metric 65535",
              "blackhole"),
          new Sabotage("sysctl -qw net.ipv4.ip_forward=0", "ip_forward"));
      String file = node.subnetFile().toString();
      String content = Files.readString(node.subnetFile());
      for (Sabotage sabotage :
          List.of(
              new Sabotage("rm " + file, file + " was removed by somebody else"),
              new Sabotage("echo FLANNEL_MTU=9 >" + file, file + " was changed by somebody else"),
              new Sabotage("rm -r " + node.subnetFile().getParent(), file + " was removed"))) {
        node.log().clear();
        host.exec("sh", "-c", sabotage.command());
        Eventually.passes(
            LIMIT,
            () -> {
              assertThat(node.subnetFile()).as(sabotage.command()).hasContent(content);
              assertThat(node.log()).anyMatch(line -> line.contains(sabotage.logged()));
            });
      }
    }
  }

  @Test
  void aLeaseComesBack(Host host) throws Exception {
    connect(host);
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        FlannelNode node = node(host, cluster, "vxlan")) {
      awaitRoute(host);
      KeyValueStore store = ((KeyValueDatastore) cluster.datastore()).store();
      String subnet = node.subnet(false).toString();
      String key = "/coreos.com/network/subnets/" + subnet.replace('/', '-');
      String value = store.get(key).orElseThrow().value();
      String before = state(host);

      store.commit(Transaction.delete(key));
      awaitLease(store, key, value);
      assertThat(node.log())
          .anyMatch(line -> line.contains(subnet + " of 192.168.7.1 was deleted"));

      store.commit(Transaction.put(key, value.replace("192.168.7.1\"", "192.168.7.9\"")));
      awaitLease(store, key, value);
      assertThat(node.log()).anyMatch(line -> line.contains("was overwritten by somebody else"));
      assertThat(state(host)).isEqualTo(before);
    }
  }

  private static void awaitLease(KeyValueStore store, String key, String value) {
    Eventually.await(
        "the lease is back",
        LIMIT,
        () -> store.get(key).map(KeyValue::value).filter(value::equals).isPresent());
  }

  @Test
  void hostGwComesBack(Host host) throws Exception {
    connect(host);
    try (TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"));
        FlannelNode node = node(host, cluster, "host-gw")) {
      awaitRoute(host);
      assertThat(host.exec("ip", "route", "show", "10.50.80.0/24").stdout())
          .contains("via 192.168.7.80 dev eth0");
      repair(
          host,
          node,
          new Sabotage("ip route del 10.50.80.0/24", "route 10.50.80.0/24"),
          new Sabotage("ip route replace 10.50.80.0/24 via 192.168.7.77 dev eth0", "192.168.7.77"),
          new Sabotage("ip link set eth0 down; ip link set eth0 up", ""));
    }
  }

  private static void repair(Host host, FlannelNode node, Sabotage... sabotages) {
    Eventually.passes(LIMIT, () -> assertThat(node.agent().status().problems()).isEmpty());
    String before = state(host);
    for (Sabotage sabotage : sabotages) {
      node.log().clear();
      host.exec("sh", "-c", sabotage.command());
      Eventually.passes(
          LIMIT,
          () -> {
            if (!sabotage.logged().isEmpty()) {
              assertThat(node.log())
                  .as(sabotage.command())
                  .anySatisfy(line -> assertThat(line).contains(sabotage.logged()));
            }
            assertThat(state(host)).as(sabotage.command()).isEqualTo(before);
          });
    }
  }

  private static String state(Host host) {
    Function<String, String> run = command -> host.tryExec("sh", "-c", command).stdout();
    return String.join(
        "\n",
        run.apply("ip route | sort"),
        run.apply("ip neighbour show nud permanent | sort"),
        run.apply("bridge fdb show dev flannel.1 | grep dst"),
        run.apply("ip -d link show flannel.1 | sed 's/^[0-9]*: //; s/qlen .*//; s/state [A-Z]*//'"),
        run.apply("ip -4 -brief address show flannel.1"),
        run.apply("nft list table ip flannel-ipv4"),
        run.apply("sysctl net.ipv4.ip_forward"));
  }
}
