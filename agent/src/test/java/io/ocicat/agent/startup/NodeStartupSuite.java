package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What start-up does on every datastore. */
@Hosts
abstract class NodeStartupSuite {
  @TempDir Path folder;

  /** Opens the datastore, in which the machine of a node may have to join first. */
  abstract Datastore datastore();

  abstract DatastoreConfig config();

  abstract void join(String node);

  private NodeStartup startup(String name, NetNs host, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(Map.of("NODENAME", name));
    environment.putAll(more);
    return new NodeStartup(
        datastore(),
        config(),
        host,
        new StartupSettings(environment),
        new NodeFiles(folder.resolve(name + "/nodename"), folder.resolve(name + "/mtu")),
        ClockAndRandom.ofSystem());
  }

  static void give(Host host, String... addresses) {
    host.exec("ip", "link", "add", "eth0", "type", "bridge");
    host.exec("ip", "link", "set", "eth0", "up");
    for (String address : addresses) {
      host.exec("ip", "address", "add", address, "dev", "eth0");
    }
  }

  private Resource node(String name) {
    return datastore().get(ResourceKey.of(Kind.NODE, name));
  }

  @Test
  void startingTwiceMakesOneNodeAndWritesNothingMore(Host machine) throws Exception {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      Map<String, String> settings =
          Map.of("CALICO_IPV4POOL_VXLAN", "Always", "AS", "1.10", "CLUSTER_TYPE", "k8s,bgp");

      LocalNode first = startup("node-a", host, settings).start();
      List<Resource> written = everything();
      LocalNode second = startup("node-a", host, settings).start();

      assertThat(second).isEqualTo(first);
      assertThat(everything()).isEqualTo(written);
      assertThat(first.ipv4()).contains(IpPrefix.parse("192.0.2.10/24"));
      assertThat(first.ipv6()).isEmpty();
      assertThat(first.interfaces()).containsExactly("eth0");
      assertThat(first.warnings()).isEmpty();
      Resource node = node("node-a");
      assertThat(node.text("metadata", "uid")).contains(first.uid());
      assertThat(node.text("spec", "bgp", "ipv4Address")).contains("192.0.2.10/24");
      assertThat(node.<String>read(it -> it.at("/spec/bgp/asNumber").asString()))
          .isEqualTo("65546");
      assertThat(node.<String>read(it -> it.at("/spec/interfaces").toString()))
          .isEqualTo("[{\"name\":\"eth0\",\"addresses\":[\"192.0.2.10\"]}]");
      Path name = folder.resolve("node-a/nodename");
      assertThat(name).hasContent("node-a").hasSize(6);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(name)))
          .isEqualTo("rw-r--r--");
    }
  }

  private List<Resource> everything() {
    return Stream.of(
            Kind.NODE,
            Kind.IP_POOL,
            Kind.CLUSTER_INFORMATION,
            Kind.TIER,
            Kind.FELIX_CONFIGURATION,
            Kind.BGP_CONFIGURATION,
            Kind.IPAM_BLOCK,
            Kind.BLOCK_AFFINITY,
            Kind.IPAM_HANDLE)
        .flatMap(kind -> datastore().list(ResourceQuery.of(kind)).items().stream())
        .toList();
  }

  @Test
  void theClusterGetsItsDefaults(Host machine) {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      startup("node-a", host, Map.of("CLUSTER_TYPE", "k8s,bgp")).start();
    }

    Resource information = get(Kind.CLUSTER_INFORMATION, "default");
    assertThat(information.text("spec", "clusterGUID").orElseThrow()).matches("[0-9a-f]{32}");
    assertThat(information.text("spec", "clusterType").orElseThrow()).startsWith("k8s,bgp");
    assertThat(information.<Boolean>read(it -> it.at("/spec/datastoreReady").asBoolean(false)))
        .isTrue();
    for (String tier : List.of("default", "kube-admin", "kube-baseline")) {
      assertThat(get(Kind.TIER, tier).text("spec", "defaultAction"))
          .contains(tier.equals("default") ? "Deny" : "Pass");
    }
    assertThat(get(Kind.FELIX_CONFIGURATION, "default").text("spec", "reportingInterval"))
        .contains("0s");
    assertThat(get(Kind.BGP_CONFIGURATION, "default").text("spec", "logSeverityScreen"))
        .contains("Info");
    Resource pool = get(Kind.IP_POOL, "default-ipv4-ippool");
    assertThat(pool.text("spec", "cidr")).contains("192.168.0.0/16");
    assertThat(pool.text("spec", "nodeSelector")).contains("all()");
    assertThat(get(Kind.IP_POOL, "default-ipv6-ippool").text("spec", "cidr").orElseThrow())
        .matches("fd[0-9a-f:]+/48");
  }

  private Resource get(Kind kind, String name) {
    return datastore().get(ResourceKey.of(kind, name));
  }

  @Test
  void nodesMayStartAtTheSameMoment(Host machine) throws Exception {
    give(machine, "192.0.2.10/24");
    List<String> names = IntStream.range(0, 4).mapToObj(i -> "node-" + i).toList();
    names.forEach(this::join);
    try (NetNs host = NetNs.open(machine.path());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<LocalNode>> started =
          names.stream()
              .map(
                  name ->
                      threads.submit(
                          () ->
                              startup(
                                      name,
                                      host,
                                      Map.of(
                                          "IP",
                                          "192.0.2.1" + name.substring(5) + "/24",
                                          "CALICO_IPV4POOL_VXLAN",
                                          "CrossSubnet"))
                                  .start()))
              .toList();
      List<IpAddress> tunnels =
          started.stream()
              .map(
                  each -> {
                    try {
                      return each.get().tunnel(Tunnel.VXLAN).orElseThrow();
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  })
              .toList();

      assertThat(tunnels).doesNotHaveDuplicates();
    }
    assertThat(datastore().list(ResourceQuery.of(Kind.NODE)).items()).hasSize(4);
    assertThat(datastore().list(ResourceQuery.of(Kind.IP_POOL)).items()).hasSize(2);
  }

  @Test
  void anotherNodeWithTheSameAddressIsNamed(Host machine) {
    join("node-a");
    join("node-b");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      startup("node-a", host, Map.of()).start();

      assertThatThrownBy(() -> startup("node-b", host, Map.of()).start())
          .isInstanceOfSatisfying(
              StartupException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(StartupException.Reason.DUPLICATE_ADDRESS);
                assertThat(e).hasMessageContaining("192.0.2.10, the address of this node on eth0");
                assertThat(e).hasMessageContaining("Node node-a");
              });
      assertThat(folder.resolve("node-b/nodename")).doesNotExist();
      assertThat(startup("node-b", host, Map.of("DISABLE_NODE_IP_CHECK", "true")).start().ipv4())
          .isPresent();
    }
  }

  @Test
  void anAddressThatChangesIsFollowedByTheNode(Host machine) {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path())) {
      NodeStartup startup = startup("node-a", host, Map.of("IP", "autodetect"));
      LocalNode before = startup.start();
      machine.exec("ip", "address", "flush", "dev", "eth0");

      LocalNode none = startup.refresh();
      assertThat(none.ipv4()).as("the last good one stays").isEqualTo(before.ipv4());
      assertThat(none.warnings())
          .singleElement()
          .asString()
          .contains("no IPv4 address of this node is found")
          .endsWith("192.0.2.10/24 stays the node's address");

      machine.exec("ip", "address", "add", "192.0.2.20/25", "dev", "eth0");
      LocalNode after = startup.refresh();
      assertThat(after.ipv4()).contains(IpPrefix.parse("192.0.2.20/25"));
      assertThat(after.uid()).isEqualTo(before.uid());
      assertThat(after.warnings()).isEmpty();
      assertThat(node("node-a").text("spec", "bgp", "ipv4Address")).contains("192.0.2.20/25");
      String revision = node("node-a").revision();
      assertThat(startup.refresh()).isEqualTo(after);
      assertThat(node("node-a").revision()).isEqualTo(revision);
    }
  }

  @Test
  void tunnelAddressesComeFromIpamAndAreReleasedWithTheLastPool(Host machine) {
    join("node-a");
    give(machine, "192.0.2.10/24");
    try (NetNs host = NetNs.open(machine.path());
        Ipam ipam = Ipam.forOneCall(datastore(), ClockAndRandom.ofSystem())) {
      NodeStartup startup =
          startup(
              "node-a",
              host,
              Map.of("CALICO_IPV4POOL_VXLAN", "Always", "CALICO_IPV6POOL_VXLAN", "Always"));

      LocalNode started = startup.start();

      IpAddress v4 = started.tunnel(Tunnel.VXLAN).orElseThrow();
      IpAddress v6 = started.tunnel(Tunnel.VXLAN_V6).orElseThrow();
      assertThat(started.tunnel(Tunnel.IPIP)).isEmpty();
      assertThat(node("node-a").text("spec", "ipv4VXLANTunnelAddr")).contains(v4.toString());
      assertThat(node("node-a").text("spec", "ipv6VXLANTunnelAddr")).contains(v6.toString());
      assertThat(ipam.info(v4).handle()).isEqualTo("vxlan-tunnel-addr-node-a");
      assertThat(ipam.info(v4).owner())
          .isEqualTo(Map.of("node", "node-a", "type", "vxlanTunnelAddress"));
      assertThat(ipam.info(v6).owner()).containsEntry("type", "vxlanV6TunnelAddress");

      set("default-ipv4-ippool", "vxlanMode", "Never");
      LocalNode without = startup.refresh();

      assertThat(without.tunnels()).containsOnlyKeys(Tunnel.VXLAN_V6);
      assertThat(node("node-a").text("spec", "ipv4VXLANTunnelAddr")).isEmpty();
      assertThatThrownBy(() -> ipam.addressesOf("vxlan-tunnel-addr-node-a")).isNotNull();

      set("default-ipv4-ippool", "ipipMode", "CrossSubnet");
      IpAddress ipip = startup.refresh().tunnel(Tunnel.IPIP).orElseThrow();
      assertThat(node("node-a").text("spec", "bgp", "ipv4IPIPTunnelAddr"))
          .contains(ipip.toString());
    }
  }

  private void set(String pool, String member, String value) {
    Resource read = get(Kind.IP_POOL, pool);
    datastore().update(read.edit(document -> document.withObject("/spec").put(member, value)));
  }
}
