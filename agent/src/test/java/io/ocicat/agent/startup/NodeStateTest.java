package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What start-up makes of settings and of what it finds. */
@Hosts
class NodeStateTest {
  @TempDir Path folder;

  private LocalNode start(Datastore datastore, Host machine, Map<String, String> more) {
    Map<String, String> environment =
        new HashMap<>(Map.of("NODENAME", "node-a", "NO_DEFAULT_POOLS", "true"));
    environment.putAll(more);
    try (NetNs host = NetNs.open(machine.path())) {
      return new NodeStartup(
              datastore,
              new DatastoreConfig.Embedded(folder),
              host,
              new StartupSettings(environment),
              new NodeFiles(folder.resolve("nodename"), folder.resolve("mtu")),
              ClockAndRandom.ofSystem())
          .start();
    }
  }

  private Datastore datastore() {
    return Datastores.openOwn(new DatastoreConfig.Embedded(folder));
  }

  private static Resource node(Datastore datastore) {
    return datastore.get(ResourceKey.of(Kind.NODE, "node-a"));
  }

  @Test
  void explicitAddressesTakeTheirPrefixLengthFromTheInterface(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    machine.exec("ip", "address", "add", "2001:db8::10/64", "dev", "eth0", "nodad");
    try (Datastore datastore = datastore()) {
      LocalNode node = start(datastore, machine, Map.of("IP", "192.0.2.10", "IP6", "2001:db8::10"));

      assertThat(node.ipv4()).hasToString("Optional[192.0.2.10/24]");
      assertThat(node.ipv6()).hasToString("Optional[2001:db8::10/64]");

      start(datastore, machine, Map.of("IP", "198.51.100.1", "IP6", "2001:db8:9::1/56"));
      assertThat(node(datastore).text("spec", "bgp", "ipv4Address")).contains("198.51.100.1");
      assertThat(node(datastore).text("spec", "bgp", "ipv6Address")).contains("2001:db8:9::1/56");

      LocalNode kept = start(datastore, machine, Map.of("IP", "none"));
      assertThat(kept.ipv4()).hasToString("Optional[198.51.100.1/32]");
      assertThat(kept.ipv6()).as("IP6 is not set").hasToString("Optional[2001:db8:9::1/56]");
      assertThat(kept.warnings())
          .containsExactly(
              "no interface has the node's address 2001:db8:9::1/56: set IP6=autodetect for the one"
                  + " that the host has now");
    }
  }

  @Test
  void bothFamiliesAreDetectedWhereBothAreAskedFor(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    try (Datastore datastore = datastore()) {
      LocalNode one = start(datastore, machine, Map.of("IP6", "autodetect"));
      assertThat(one.ipv6()).isEmpty();
      assertThat(one.warnings())
          .singleElement()
          .asString()
          .contains("IP6_AUTODETECTION_METHOD")
          .endsWith("the node has no IPv6 address");

      machine.exec("ip", "address", "add", "2001:db8::10/64", "dev", "eth0", "nodad");
      LocalNode both = start(datastore, machine, Map.of("IP6", "autodetect"));
      assertThat(both.ipv6()).hasToString("Optional[2001:db8::10/64]");
      assertThat(both.warnings()).isEmpty();
    }
  }

  @Test
  void aNodeWithoutAnAddressIsRefused(Host machine) {
    try (Datastore datastore = datastore()) {
      assertThatThrownBy(() -> start(datastore, machine, Map.of()))
          .isInstanceOfSatisfying(
              StartupException.class,
              e -> assertThat(e.reason()).isEqualTo(StartupException.Reason.NO_ADDRESS))
          .hasMessageContaining("no IPv4 address of this node is found");
      assertThatThrownBy(() -> start(datastore, machine, Map.of("IP", "none")))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("neither an IPv4 nor an IPv6 address");
      assertThatThrownBy(() -> start(datastore, machine, Map.of("IP", "eth0")))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("IP must be an IPv4 address, autodetect or none, not \"eth0\"");
      assertThat(folder.resolve("nodename")).doesNotExist();
    }
  }

  @Test
  void withoutCalicosNetworkingTheNodeNeedsNoAddress(Host machine) {
    try (Datastore datastore = datastore()) {
      LocalNode node =
          start(
              datastore,
              machine,
              Map.of("CALICO_NETWORKING_BACKEND", "none", "CALICO_K8S_NODE_REF", "kube-a"));

      assertThat(node.ipv4()).isEmpty();
      assertThat(node(datastore).<String>read(it -> it.path("spec").toString()))
          .isEqualTo("{\"orchRefs\":[{\"nodeName\":\"kube-a\",\"orchestrator\":\"k8s\"}]}");
    }
  }

  @Test
  void whatOthersWroteIsKept(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    try (Datastore datastore = datastore()) {
      datastore.create(
          Resource.of(
                  new ResourceKey.Named(Kind.NODE, "", "node-a"),
                  spec ->
                      spec.put("vxlanTunnelMACAddr", "66:00:00:00:00:01")
                          .putObject("bgp")
                          .put("routeReflectorClusterID", "244.0.0.1"))
              .edit(
                  document ->
                      document.withObject("/metadata").putObject("labels").put("rack", "r1")));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
              spec ->
                  spec.put("clusterType", "k8s")
                      .put("calicoVersion", "v3.32.1")
                      .put("datastoreReady", false)));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.FELIX_CONFIGURATION, "", "default"),
              spec -> spec.put("logSeverityScreen", "Debug")));

      start(datastore, machine, Map.of("CLUSTER_TYPE", "bgp,k8s"));

      Resource node = node(datastore);
      assertThat(node.labels()).containsEntry("rack", "r1");
      assertThat(node.text("spec", "vxlanTunnelMACAddr")).contains("66:00:00:00:00:01");
      assertThat(node.text("spec", "bgp", "routeReflectorClusterID")).contains("244.0.0.1");
      Resource information = datastore.get(ResourceKey.of(Kind.CLUSTER_INFORMATION, "default"));
      assertThat(information.text("spec", "clusterType")).contains("k8s,bgp");
      assertThat(information.text("spec", "calicoVersion")).contains("v3.32.1");
      assertThat(information.<Boolean>read(it -> it.at("/spec/datastoreReady").asBoolean(true)))
          .as("a locked datastore stays locked")
          .isFalse();
      Resource felix = datastore.get(ResourceKey.of(Kind.FELIX_CONFIGURATION, "default"));
      assertThat(felix.text("spec", "logSeverityScreen")).contains("Debug");
      assertThat(felix.text("spec", "reportingInterval")).contains("0s");
    }
  }

  @Test
  void aPoolThatContainsTheHostsNetworkIsNamed(Host machine) {
    NodeStartupSuite.give(machine, "10.20.3.4/24");
    try (Datastore datastore = datastore()) {
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "wide"),
              spec -> spec.put("cidr", "10.20.0.0/16")));

      assertThat(start(datastore, machine, Map.of()).warnings())
          .singleElement()
          .asString()
          .startsWith("IPPool wide (10.20.0.0/16) overlaps 10.20.3.0/24 of interface eth0");
    }
  }

  @Test
  void aNameThatNoNodeCanHaveIsRefused() {
    Path file = folder.resolve("nodename");

    assertThat(LocalNodeName.find(new StartupSettings(Map.of("HOSTNAME", "Machine-1")), file))
        .isEqualTo("machine-1");
    new NodeFiles(file, file).writeNodeName("node-a");
    assertThat(LocalNodeName.find(new StartupSettings(Map.of("HOSTNAME", "Machine-1")), file))
        .isEqualTo("node-a");
    assertThat(LocalNodeName.find(new StartupSettings(Map.of("NODENAME", " node-b ")), file))
        .isEqualTo("node-b");
    assertThatThrownBy(
            () -> LocalNodeName.find(new StartupSettings(Map.of("NODENAME", "a/b")), file))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("node name \"a/b\" cannot be used", "set NODENAME");
  }
}
