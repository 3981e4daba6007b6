package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Etcd;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes whose agents do flanneld's job, and packets between them. */
@Hosts
class FlannelNodesTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String SUBNETS = "/coreos.com/network/subnets/";

  @TempDir Path folder;

  private void configure(String families, String backend) throws Exception {
    Files.writeString(
        folder.resolve("net-conf.json"),
        "{%s'Network':'10.50.0.0/16','IPv6Network':'fd00:50::/48','Backend':%s}"
            .formatted(families, backend)
            .replace('\'', '"'));
  }

  private static void plug(Lan lan, Host host, int number) {
    String device = lan.plug(host, "192.168.7.%d/24".formatted(number));
    host.exec("ip", "link", "set", device, "down");
    host.exec("ip", "link", "set", device, "name", "eth0");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "address", "add", "fd00:7::%d/64".formatted(number), "dev", "eth0", "nodad");
  }

  private FlannelNode node(Host host, TestCluster cluster, int number) throws Exception {
    return node(host, cluster, number, Map.of("FLANNELD_IP_MASQ", "true"));
  }

  private FlannelNode node(
      Host host, TestCluster cluster, int number, Map<String, String> variables) throws Exception {
    Path own = Files.createDirectories(folder.resolve("node" + number));
    return new FlannelNode(host, cluster.datastore(), "node" + number, own, variables);
  }

  private static KeyValueStore store(TestCluster cluster) {
    return ((KeyValueDatastore) cluster.datastore()).store();
  }

  private static boolean reaches(FlannelNode node, String from, String to, int size) {
    return node.host()
        .tryExec("ping", "-c1", "-W1", "-q", "-M", "do", "-s", "" + size, "-I", from, to)
        .succeeded();
  }

  private static void awaitPackets(FlannelNode one, FlannelNode two, boolean v6, int mtu) {
    String from = one.addPod(v6);
    String to = two.addPod(v6);
    int header = v6 ? 48 : 28;
    Eventually.await(
        "%s reaches %s with %d bytes".formatted(from, to, mtu),
        LIMIT,
        () -> reaches(one, from, to, mtu - header));
    assertThat(reaches(two, to, from, mtu - header)).as("back").isTrue();
    assertThat(reaches(one, from, to, mtu - header + 1)).as("no more").isFalse();
  }

  @ParameterizedTest
  @CsvSource({"vxlan,4", "vxlan,46", "vxlan,6", "host-gw,4", "host-gw,46", "host-gw,6"})
  void podsReachEachOther(String backend, String stack, Host one, Host two) throws Exception {
    boolean v4 = stack.contains("4");
    boolean v6 = stack.contains("6");
    boolean vxlan = backend.equals("vxlan");
    configure(
        "'EnableIPv4':%s,'EnableIPv6':%s,".formatted(v4, v6), "{'Type':'%s'}".formatted(backend));
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      try (FlannelNode first = node(one, cluster, 1).awaitLease();
          FlannelNode second = node(two, cluster, 2).awaitLease()) {
        if (v4) {
          awaitPackets(first, second, false, vxlan ? 1450 : 1500);
        }
        if (v6) {
          awaitPackets(first, second, true, vxlan ? 1430 : 1500);
        }
        assertThat(first.subnetFile())
            .content()
            .contains(vxlan ? "FLANNEL_MTU=1450\n" : "FLANNEL_MTU=1500\n")
            .endsWith("FLANNEL_IPMASQ=true\n");
        assertThat(one.exec("sysctl", "-n", "net.ipv4.ip_forward").stdout()).isEqualTo("1\n");
        assertThat(first.agent().status().problems()).isEmpty();
        assertThat(first.flannel().problems()).isEmpty();
      }
    }
  }

  @Test
  void aDeviceIsAsFlanneldMakesIt(Host one, Host two) throws Exception {
    configure("'EnableIPv6':true,", "{'Type':'vxlan'}");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      try (FlannelNode first = node(one, cluster, 1).awaitLease();
          FlannelNode second = node(two, cluster, 2).awaitLease()) {
        String subnet = second.subnet(false).toString();
        Eventually.await(
            "a route", () -> !one.exec("ip", "route", "show", subnet).stdout().isBlank());
        String device = one.exec("ip", "-d", "link", "show", "flannel.1").stdout();
        assertThat(device)
            .contains(
                "vxlan id 1 local 192.168.7.1 dev eth0 srcport 0 0 dstport 8472 nolearning ttl auto"
                    + " ageing 300 udpcsum")
            .contains("mtu 1450");
        assertThat(one.exec("ip", "-d", "link", "show", "flannel-v6.1").stdout())
            .contains("mtu 1430", "local fd00:7::1");
        assertThat(one.exec("ip", "-4", "-brief", "address", "show", "flannel.1").stdout())
            .contains(first.subnet(false).first() + "/32");
        assertThat(one.exec("sysctl", "-n", "net.ipv6.conf.flannel/1.accept_ra").stdout())
            .isEqualTo("0\n");
        String gateway = second.subnet(false).first().toString();
        assertThat(one.exec("ip", "route", "show", subnet).stdout())
            .isEqualTo("%s via %s dev flannel.1 onlink \n".formatted(subnet, gateway));
        String mac =
            two.json("ip", "-j", "link", "show", "flannel.1").path(0).path("address").asString("");
        Eventually.passes(
            LIMIT,
            () -> {
              assertThat(one.exec("ip", "neighbour", "show", "dev", "flannel.1").stdout())
                  .contains("%s lladdr %s PERMANENT".formatted(gateway, mac));
              assertThat(one.exec("bridge", "fdb", "show", "dev", "flannel.1").stdout())
                  .contains("%s dst 192.168.7.2 self permanent".formatted(mac));
            });
        String own = first.subnet(false).toString();
        assertThat(one.exec("nft", "list", "table", "ip", "flannel-ipv4").stdout())
            .isEqualTo(
                """
                table ip flannel-ipv4 {
                	chain postrtg {
                		type nat hook postrouting priority srcnat; policy accept;
                		meta mark & 0x00004000 == 0x00004000 return
                		ip saddr %1$s ip daddr 10.50.0.0/16 return
                		ip saddr 10.50.0.0/16 ip daddr %1$s return
                		ip saddr != 10.50.0.0/16 ip daddr %1$s return
                		ip saddr 10.50.0.0/16 ip daddr != 224.0.0.0/4 masquerade fully-random
                		ip saddr != 10.50.0.0/16 ip daddr 10.50.0.0/16 masquerade fully-random
                	}

                	chain forward {
                		type filter hook forward priority filter; policy accept;
                		ip saddr 10.50.0.0/16 accept
                		ip daddr 10.50.0.0/16 accept
                	}
                }
                """
                    .formatted(own));
        assertThat(one.exec("nft", "list", "table", "ip6", "flannel-ipv6").stdout())
            .contains("ip6 saddr fd00:50::/48 ip6 daddr != ff00::/8 masquerade fully-random");
      }
    }
  }

  @Test
  void threeNodesOnEtcdComeAndGoAndALeaseIsStolen(Host one, Host two, Host three) throws Exception {
    configure("'EnableIPv6':true,", "{'Type':'vxlan','DirectRouting':true}");
    try (Lan lan = Lan.open();
        Etcd etcd = new Etcd().start();
        TestCluster cluster =
            new TestCluster(
                new DatastoreConfig.Etcd(
                    List.of(etcd.url()), "", "", new Secret(""), DatastoreConfig.Tls.NONE))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      plug(lan, three, 3);
      try (FlannelNode first = node(one, cluster, 1).awaitLease();
          FlannelNode second = node(two, cluster, 2).awaitLease()) {
        awaitPackets(first, second, false, 1500);
        outlivesEtcd(etcd, first, second);
        String gone;
        try (FlannelNode third = node(three, cluster, 3).awaitLease()) {
          gone = third.subnet(false).toString();
          awaitPackets(third, second, false, 1500);
          awaitRoute(one, gone, "via 192.168.7.3 dev eth0");
        }
        awaitRoute(one, gone, "via 192.168.7.3 dev eth0");
        store(cluster).range(RangeQuery.all(SUBNETS)).entries().stream()
            .filter(entry -> entry.value().contains("192.168.7.3"))
            .forEach(entry -> store(cluster).commit(Transaction.delete(entry.key())));
        Eventually.await(
            "the route goes with the lease",
            () -> one.exec("ip", "route", "show", gone).stdout().isBlank());
        try (FlannelNode third = node(three, cluster, 3).awaitLease()) {
          assertThat(third.subnet(false)).as("from subnet.env").hasToString(gone);
          awaitRoute(one, gone, "via 192.168.7.3 dev eth0");
        }

        // Somebody else claims the second node's key.
        String key =
            store(cluster).range(RangeQuery.all(SUBNETS)).entries().stream()
                .filter(entry -> entry.value().contains("192.168.7.2\""))
                .findFirst()
                .orElseThrow()
                .key();
        String value = store(cluster).get(key).orElseThrow().value();
        store(cluster)
            .commit(Transaction.put(key, value.replace("192.168.7.2\"", "192.168.7.9\"")));
        Eventually.await(
            "the key is put back",
            () -> store(cluster).get(key).orElseThrow().value().equals(value));
        assertThat(second.log()).anyMatch(line -> line.contains("was overwritten by somebody"));
        awaitRoute(one, second.subnet(false).toString(), "via 192.168.7.2 dev eth0");
      }
    }
  }

  /** What is in force stays, is still repaired, and no packet is lost. */
  private static void outlivesEtcd(Etcd etcd, FlannelNode one, FlannelNode two) {
    String subnet = two.subnet(false).toString();
    Background flood =
        one.host()
            .start("ping", "-i", "0.005", "-O", "-D", "-I", one.addPod(false), two.addPod(false));
    etcd.kill();
    Eventually.await(
        "etcd is missed",
        Duration.ofSeconds(30),
        () -> one.flannel().problems().stream().anyMatch(it -> it.contains("cannot be read")));
    assertThat(one.flannel().isReady()).as("the lease is good for a day").isTrue();
    awaitRoute(one.host(), subnet, "via 192.168.7.2");
    one.host().exec("nft", "delete", "table", "ip", "flannel-ipv4");
    Eventually.await(
        "the rules are back",
        LIMIT,
        () -> one.host().tryExec("nft", "list", "table", "ip", "flannel-ipv4").succeeded());
    etcd.start();
    Eventually.await(
        "etcd is back", Duration.ofSeconds(30), () -> one.flannel().problems().isEmpty());
    awaitRoute(one.host(), subnet, "via 192.168.7.2");
    one.host().exec("kill", "-INT", Long.toString(flood.pid()));
    assertThat(flood.await(LIMIT).stdout()).contains(" 0% packet loss");
  }

  private static void awaitRoute(Host host, String subnet, String expected) {
    Eventually.passes(
        LIMIT,
        () -> assertThat(host.exec("ip", "route", "show", subnet).stdout()).contains(expected));
  }

  @Test
  void whatAFlanneldLeftIsAdoptedAndARestartWritesNothing(Host one, Host two) throws Exception {
    configure("", "{'Type':'vxlan'}");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      // As flanneld leaves its node: no record of the MAC address but the device's own.
      one.exec(
          "sh",
          "-c",
          """
          set -e
          ip link add flannel.1 address 0a:11:22:33:44:55 mtu 1450 type vxlan id 1 \
            local 192.168.7.1 dev eth0 dstport 8472 nolearning
          ip address add 10.50.9.0/32 dev flannel.1
          ip link set flannel.1 up
          ip route add 10.50.77.0/24 via 10.50.77.0 dev flannel.1 onlink
          ip route add 10.50.78.0/24 via 192.168.7.200 dev eth0
          ip route add 203.0.113.0/24 via 192.168.7.254 dev eth0
          """);
      Path file = folder.resolve("node1/run/subnet.env");
      Files.createDirectories(file.getParent());
      Files.writeString(file, "FLANNEL_NETWORK=10.50.0.0/16\nFLANNEL_SUBNET=10.50.9.1/24\n");
      int index = index(one);
      try (FlannelNode second = node(two, cluster, 2).awaitLease()) {
        String subnet = second.subnet(false).toString();
        try (FlannelNode first = node(one, cluster, 1).awaitLease()) {
          assertThat(first.subnet(false)).hasToString("10.50.9.0/24");
          awaitRoute(one, subnet, "dev flannel.1");
          assertThat(index(one)).as("the same device").isEqualTo(index);
          assertThat(one.exec("ip", "link", "show", "flannel.1").stdout())
              .contains("0a:11:22:33:44:55");
          Eventually.passes(
              LIMIT,
              () ->
                  assertThat(one.exec("ip", "route").stdout())
                      .doesNotContain("10.50.77.0", "10.50.78.0")
                      .contains("203.0.113.0/24 via 192.168.7.254"));
          awaitPackets(first, second, false, 1450);
        }
        try (FlannelNode again = node(one, cluster, 1).awaitLease()) {
          Eventually.await("routes", () -> again.agent().status().routes() > 0);
          assertThat(reaches(again, "10.50.9.5", second.subnet(false).first().plus(5) + "", 1422))
              .isTrue();
          assertThat(again.agent().status().writes()).as("%s", again.log()).isZero();
        }
      }
    }
  }

  private static int index(Host host) {
    return host.json("ip", "-j", "link", "show", "flannel.1").path(0).path("ifindex").asInt();
  }

  @Test
  void leasesOfOtherBackEndsAreIgnoredAndNamed(Host one) throws Exception {
    configure("", "{'Type':'host-gw'}");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      store(cluster)
          .commit(
              Transaction.put(
                  SUBNETS + "10.50.80.0-24",
                  "{\"PublicIP\":\"192.168.7.80\",\"PublicIPv6\":null,\"BackendType\":\"wireguard\"}"));
      store(cluster)
          .commit(
              Transaction.put(
                  SUBNETS + "10.50.81.0-24",
                  "{\"PublicIP\":\"198.51.100.81\",\"PublicIPv6\":null,\"BackendType\":\"host-gw\"}"));
      try (FlannelNode first =
          node(one, cluster, 1, Map.of("FLANNELD_IP_BLACKHOLE_ROUTE", "true")).awaitLease()) {
        Eventually.passes(
            LIMIT,
            () ->
                assertThat(first.agent().status().problems())
                    .anyMatch(
                        it ->
                            it.contains("10.50.80.0/24 of 192.168.7.80 is ignored")
                                && it.contains("wireguard"))
                    .anyMatch(it -> it.contains("198.51.100.81 is not in the subnet of eth0")));
        assertThat(one.exec("ip", "route").stdout()).doesNotContain("10.50.80", "10.50.81");
        awaitRoute(one, first.subnet(false).toString(), "metric 65535");
      }
    }
  }

  @Test
  void hostGwRefusesTranslatedAddresses(Host one) throws Exception {
    configure("", "{'Type':'host-gw'}");
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      try (FlannelNode first = node(one, cluster, 1, Map.of("FLANNELD_PUBLIC_IP", "203.0.113.1"))) {
        Eventually.passes(
            LIMIT,
            () ->
                assertThat(first.flannel().problems())
                    .anyMatch(it -> it.contains("host-gw does not work behind address")));
        assertThat(first.flannel().isReady()).isFalse();
        // The network may use another back end from now on.
        store(cluster)
            .commit(
                Transaction.put(
                    "/coreos.com/network/config",
                    "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}"));
        first.awaitLease();
        Eventually.await(
            "the device", () -> one.tryExec("ip", "link", "show", "flannel.1").succeeded());
        store(cluster)
            .commit(
                Transaction.put(
                    "/coreos.com/network/config",
                    "{\"Network\":\"10.50.0.0/16\",\"Backend\":{\"Type\":\"vxlan\",\"VNI\":7}}"));
        Eventually.passes(
            LIMIT,
            () -> {
              assertThat(one.tryExec("ip", "link", "show", "flannel.7").succeeded()).isTrue();
              assertThat(one.tryExec("ip", "link", "show", "flannel.1").succeeded()).isFalse();
            });
      }
    }
  }
}
