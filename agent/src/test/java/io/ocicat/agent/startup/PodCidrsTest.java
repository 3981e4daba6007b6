package io.ocicat.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ranges of pods' addresses that start-up gives a node. */
@Hosts
class PodCidrsTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // by open
  private Datastore datastore;

  @BeforeEach
  void open() {
    datastore = Datastores.openOwn(new DatastoreConfig.Embedded(folder.resolve("store")));
  }

  @AfterEach
  void close() {
    datastore.close();
  }

  private LocalNode start(String name, Host machine, Map<String, String> more) {
    Map<String, String> environment =
        new HashMap<>(Map.of("NODENAME", name, "NO_DEFAULT_POOLS", "true"));
    environment.put("DISABLE_NODE_IP_CHECK", "true");
    environment.putAll(more);
    try (NetNs host = NetNs.open(machine.path())) {
      return new NodeStartup(
              datastore,
              new DatastoreConfig.Embedded(folder.resolve("store")),
              host,
              new StartupSettings(environment),
              new NodeFiles(folder.resolve(name + "/nodename"), folder.resolve("mtu")),
              ClockAndRandom.ofSystem())
          .start();
    }
  }

  private static Map<String, String> ranges(String ranges) {
    return Map.of("OCICAT_CLUSTER_CIDR", ranges);
  }

  private List<String> podCidrs(String name) {
    return datastore.cluster().node(name).orElseThrow().podCidrs();
  }

  @Test
  void aNodeGetsAPartOfEachRangeAndKeepsIt(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    Map<String, String> settings = ranges("10.244.0.0/16, fd00:10::/48");

    LocalNode first = start("node-a", machine, settings);
    LocalNode second = start("node-b", machine, settings);

    assertThat(first.podCidrs())
        .containsExactly(IpPrefix.parse("10.244.0.0/24"), IpPrefix.parse("fd00:10::/64"));
    assertThat(first.warnings()).isEmpty();
    assertThat(podCidrs("node-b")).containsExactly("10.244.1.0/24", "fd00:10:0:1::/64");
    assertThat(start("node-b", machine, settings)).isEqualTo(second);
    assertThat(start("node-a", machine, Map.of()).podCidrs()).as("not configured").isEmpty();
    assertThat(podCidrs("node-a")).as("but kept").hasSize(2);
  }

  @Test
  void theSizeOfAPartIsConfigured(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");

    start(
        "node-a",
        machine,
        Map.of("OCICAT_CLUSTER_CIDR", "10.244.0.0/16", "OCICAT_NODE_CIDR_MASK_SIZE", "26"));
    start(
        "node-b",
        machine,
        Map.of(
            "OCICAT_CLUSTER_CIDR",
            "fd00:10::/48,10.244.0.0/16",
            "OCICAT_NODE_CIDR_MASK_SIZE_IPV4",
            "25",
            "OCICAT_NODE_CIDR_MASK_SIZE_IPV6",
            "80"));

    assertThat(podCidrs("node-a")).containsExactly("10.244.0.0/26");
    assertThat(podCidrs("node-b")).containsExactly("fd00:10::/80", "10.244.0.128/25");
  }

  @Test
  void aFullRangeKeepsTheNodeFromStarting(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    start("node-a", machine, ranges("10.244.0.0/24"));

    assertThatThrownBy(() -> start("node-b", machine, ranges("10.244.0.0/24")))
        .isInstanceOfSatisfying(
            StartupException.class,
            e -> assertThat(e.reason()).isEqualTo(StartupException.Reason.NO_POD_CIDR))
        .hasMessageContaining("node node-b gets no range for its pods")
        .hasMessageContaining("10.244.0.0/24 has no /24 left, 1 nodes use it")
        .hasMessageContaining("delete the Nodes of machines that are gone");
    assertThat(folder.resolve("node-b/nodename")).doesNotExist();

    datastore.delete(ResourceKey.of(Kind.NODE, "node-a"), null);
    start("node-b", machine, ranges("10.244.0.0/24"));
    assertThat(podCidrs("node-b")).containsExactly("10.244.0.0/24");
  }

  @Test
  void anotherRangeDoesNotMoveTheNode(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");
    start("node-a", machine, ranges("10.244.0.0/16"));

    LocalNode moved = start("node-a", machine, ranges("10.245.0.0/16"));

    assertThat(podCidrs("node-a")).containsExactly("10.244.0.0/24");
    assertThat(moved.warnings())
        .singleElement()
        .asString()
        .contains("node node-a keeps 10.244.0.0/24 for its pods")
        .contains("not in OCICAT_CLUSTER_CIDR 10.245.0.0/16");
  }

  @Test
  void whatOverlapsIsNamed(Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24", "10.244.7.1/24", "10.244.0.1/24");
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
            spec -> spec.put("cidr", "10.244.0.0/20")));
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "off"),
            spec -> spec.put("cidr", "10.244.16.0/20").put("disabled", true)));
    LocalNode node =
        start(
            "node-a", machine, Map.of("OCICAT_CLUSTER_CIDR", "10.244.0.0/16", "IP", "192.0.2.10"));

    assertThat(node.warnings())
        .filteredOn(warning -> warning.contains("OCICAT_CLUSTER_CIDR"))
        .satisfiesExactly(
            pool ->
                assertThat(pool)
                    .startsWith("IPPool blue (10.244.0.0/20) overlaps OCICAT_CLUSTER_CIDR"),
            host ->
                assertThat(host)
                    .startsWith("OCICAT_CLUSTER_CIDR overlaps 10.244.7.0/24 of interface eth0"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          10.244.0.0         | ''  | ''  | OCICAT_CLUSTER_CIDR must be a network
          10.244.1.0/16      | ''  | ''  | 10.244.1.0/16 is an address in a network: write 10.244.0.0/16
          10.1.0.0/16,10.2.0.0/16 | '' | '' | two IPv4 networks
          10.244.0.0/26      | ''  | ''  | smaller than the range of one node, a /24
          10.244.0.0/16      | 12  | ''  | OCICAT_NODE_CIDR_MASK_SIZE must be 16–30
          10.244.0.0/16      | ''  | 31  | OCICAT_NODE_CIDR_MASK_SIZE_IPV4 must be 16–30
          10.244.0.0/16      | abc | ''  | not "abc"
          10.244.0.0/16      | 24  | 24  | mean the same
          10.1.0.0/16,fd::/48 | 24 | ''  | is for one range
          """)
  void anInvalidSettingIsNamed(
      String ranges, String size, String size4, String problem, Host machine) {
    NodeStartupSuite.give(machine, "192.0.2.10/24");

    assertThatThrownBy(
            () ->
                start(
                    "node-a",
                    machine,
                    Map.of(
                        "OCICAT_CLUSTER_CIDR",
                        ranges,
                        "OCICAT_NODE_CIDR_MASK_SIZE",
                        size,
                        "OCICAT_NODE_CIDR_MASK_SIZE_IPV4",
                        size4)))
        .isInstanceOfSatisfying(
            StartupException.class,
            e -> assertThat(e.reason()).isEqualTo(StartupException.Reason.BAD_SETTING))
        .hasMessageContaining(problem);
  }
}
