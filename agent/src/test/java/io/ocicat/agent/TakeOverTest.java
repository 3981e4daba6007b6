package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node whose records and kernel state Calico has left, written by hand from the contracts: the
 * agent takes it over, loses no packet, changes nothing of either, and adds only what is its own.
 */
@Hosts
class TakeOverTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Felix makes them of the names node1 and node-a. */
  private static final String MAC_1 = "66:f9:37:c3:7e:94";

  private static final String MAC_A = "66:07:02:c1:cc:60";

  @TempDir Path folder;

  @Test
  void aNodeOfCalicoKeepsItsStateItsRecordsAndItsTraffic(Host one, Host two, Host pod) {
    one.connect(two, "192.168.7.1/24", "192.168.7.2/24");
    tunnel(one, "192.168.7.1", MAC_1, "10.65.1.0");
    tunnel(two, "192.168.7.2", MAC_A, "10.65.2.0");
    remote(one, "10.65.2.0", MAC_A, "192.168.7.2");
    remote(two, "10.65.1.0", MAC_1, "192.168.7.1");
    two.exec("ip", "link", "set", "lo", "up");
    two.exec("ip", "address", "add", "10.65.2.7/32", "dev", "lo");
    String mac = addPod(one, pod);
    try (TestCluster cluster = TestCluster.embedded(folder)) {
      writeRecords(cluster, mac);
      Eventually.await("a path before", () -> reaches(two));
      String kernel = state(one);
      Map<Kind, List<String>> records = records(cluster);
      Background flood =
          two.start("ping", "-i", "0.005", "-O", "-D", "-I", "10.65.2.7", "10.65.1.7");

      try (AgentProcess agent = AgentProcess.start(one, folder.resolve("own"), environment())) {
        agent.awaitReport("ready", report -> report.path("readyEndpoints").asInt() == 1);
        agent.awaitReport("no problem", report -> report.path("problems").isEmpty());
        two.exec("kill", "-INT", Long.toString(flood.pid()));
        assertThat(flood.await(LIMIT).stdout()).contains(" 0% packet loss");
        assertThat(state(one)).isEqualTo(kernel);
        assertThat(records(cluster)).isEqualTo(records);
        Resource node = cluster.datastore().get(ResourceKey.of(Kind.NODE, "node1"));
        assertThat(node.text("spec", "bgp", "ipv4Address")).contains("192.168.7.1/24");
        assertThat(node.text("spec", "ipv4VXLANTunnelAddr")).contains("10.65.1.0");
        assertThat(node.<Integer>read(json -> json.at("/spec/bgp/asNumber").asInt()))
            .isEqualTo(64513);
        assertThat(agent.log()).doesNotContain("somebody else");
      }
    }
  }

  private static void tunnel(Host host, String address, String mac, String tunnelAddress) {
    host.exec(
        ("ip link add vxlan.calico address %s mtu 1450 type vxlan id 4096 local %s dev wire0"
                + " dstport 4789 nolearning")
            .formatted(mac, address)
            .split(" "));
    host.exec("ip", "address", "add", tunnelAddress + "/32", "dev", "vxlan.calico");
    host.exec("ip", "link", "set", "vxlan.calico", "up");
    host.exec("ip", "route", "add", "blackhole", tunnelAddress + "/26", "proto", "80");
    host.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");
  }

  private static void remote(Host host, String tunnelAddress, String mac, String node) {
    host.exec(
        "ip neighbour add %s lladdr %s dev vxlan.calico nud permanent"
            .formatted(tunnelAddress, mac)
            .split(" "));
    host.exec(
        "bridge fdb add %s dev vxlan.calico dst %s self permanent".formatted(mac, node).split(" "));
    host.exec(
        "ip route add %s/26 via %s dev vxlan.calico onlink mtu 1450"
            .formatted(tunnelAddress, tunnelAddress)
            .split(" "));
  }

  /** A pod as Felix has it: the route's metric is 1024, its neighbour permanent. */
  private static String addPod(Host node, Host pod) {
    node.exec(
        "ip", "link", "add", "cali1", "type", "veth", "peer", "name", "eth0", "netns", pod.name());
    node.exec("ip", "link", "set", "cali1", "address", "ee:ee:ee:ee:ee:ee", "up");
    pod.exec("ip", "link", "set", "eth0", "mtu", "1450", "up");
    pod.exec("ip", "address", "add", "10.65.1.7/32", "dev", "eth0");
    pod.exec("ip", "route", "add", "169.254.1.1", "dev", "eth0", "scope", "link");
    pod.exec("ip", "route", "add", "default", "via", "169.254.1.1");
    pod.exec("ip", "neighbour", "add", "169.254.1.1", "lladdr", "ee:ee:ee:ee:ee:ee", "dev", "eth0");
    String mac = pod.json("ip", "-j", "link", "show", "eth0").path(0).path("address").asString("");
    node.exec("ip", "route", "add", "10.65.1.7", "dev", "cali1", "scope", "link", "metric", "1024");
    node.exec(
        "ip", "neighbour", "add", "10.65.1.7", "lladdr", mac, "dev", "cali1", "nud", "permanent");
    return mac;
  }

  private static void writeRecords(TestCluster cluster, String mac) {
    cluster.create(
        Kind.CLUSTER_INFORMATION,
        "default",
        spec ->
            spec.put("calicoVersion", "v3.32.0")
                .put("clusterGUID", "0123456789abcdef0123456789abcdef")
                .put("clusterType", "k8s,bgp")
                .put("datastoreReady", true));
    cluster.pool(
        "default-ipv4-ippool",
        "10.65.0.0/16",
        spec -> spec.put("vxlanMode", "Always").put("natOutgoing", true).put("blockSize", 26));
    node(cluster, "node1", "192.168.7.1/24", "10.65.1.0");
    node(cluster, "node-a", "192.168.7.2/24", "10.65.2.0");
    cluster.address("10.65.1.7", "node1");
    cluster.endpoint("node1", "web", "cali1", mac, "10.65.1.7/32");
  }

  private static void node(TestCluster cluster, String name, String address, String tunnel) {
    cluster.node(
        name,
        address,
        spec -> {
          spec.put("ipv4VXLANTunnelAddr", tunnel);
          spec.withObject("/bgp").put("asNumber", 64513);
        });
    cluster.block(tunnel + "/26", name);
    try (Ipam ipam = Ipam.forOneCall(cluster.datastore(), ClockAndRandom.ofSystem())) {
      ipam.assign(
          new AssignRequest(
              IpAddress.parse(tunnel),
              name,
              Tunnel.VXLAN.handle(name),
              Tunnel.VXLAN.attributes(name)));
    }
  }

  private Map<String, String> environment() {
    return Map.of(
        "DATASTORE_TYPE", "embedded",
        "OCICAT_STATE_DIR", folder.toString(),
        "NODENAME", "node1",
        "NO_DEFAULT_POOLS", "true",
        "IP", "192.168.7.1/24");
  }

  private static boolean reaches(Host two) {
    return two.tryExec("ping", "-c1", "-W1", "-q", "-I", "10.65.2.7", "10.65.1.7").succeeded();
  }

  private static String state(Host host) {
    return host.exec("ip", "-d", "link", "show", "vxlan.calico").stdout()
        + host.exec("ip", "-4", "address", "show", "vxlan.calico").stdout()
        + host.exec("ip", "route").stdout()
        + host.exec("ip", "neighbour", "show", "nud", "permanent").stdout()
        + host.exec("bridge", "fdb", "show", "dev", "vxlan.calico").stdout();
  }

  /** What Calico's IPAM and plugins own. */
  private static Map<Kind, List<String>> records(TestCluster cluster) {
    return Map.of(
        Kind.IPAM_BLOCK, contents(cluster, Kind.IPAM_BLOCK),
        Kind.IPAM_HANDLE, contents(cluster, Kind.IPAM_HANDLE),
        Kind.IP_POOL, contents(cluster, Kind.IP_POOL),
        Kind.WORKLOAD_ENDPOINT, contents(cluster, Kind.WORKLOAD_ENDPOINT),
        Kind.CLUSTER_INFORMATION,
            cluster.datastore().list(ResourceQuery.of(Kind.CLUSTER_INFORMATION)).items().stream()
                .map(resource -> resource.text("spec", "clusterGUID").orElse(""))
                .toList());
  }

  private static List<String> contents(TestCluster cluster, Kind kind) {
    return cluster.datastore().list(ResourceQuery.of(kind)).items().stream()
        .map(resource -> resource.content().toString())
        .toList();
  }
}
