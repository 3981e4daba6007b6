package io.ocicat.agent;

import static io.ocicat.agent.BgpNodes.LIMIT;
import static io.ocicat.agent.BgpNodes.awaitRoute;
import static io.ocicat.agent.BgpNodes.ping;
import static io.ocicat.agent.BgpNodes.routes;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Agents whose nodes speak BGP through real BIRDs: no route is made by hand. */
@Hosts
class BgpTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // by start
  private BgpNodes nodes;

  @SuppressWarnings("NullAway.Init") // by start
  private TestCluster cluster;

  @BeforeEach
  void start() {
    nodes = new BgpNodes(folder);
    cluster = nodes.cluster();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void threeNodesLearnEachOthersBlocks(Host one, Host two, Host three) {
    Host[] machines = {one, two, three};
    for (int number = 1; number <= 3; number++) {
      nodes.add(machines[number - 1], number);
    }
    for (int number = 1; number <= 3; number++) {
      nodes.run(machines[number - 1], number);
    }
    for (int from = 1; from <= 3; from++) {
      for (int to = 1; to <= 3; to++) {
        if (from != to) {
          awaitRoute(
              machines[from - 1], "10.9.%d.0/26".formatted(to), "via 172.31.9.%d".formatted(to));
          awaitRoute(
              machines[from - 1], "fd10::%d:0/122".formatted(to), "via fd09::%d".formatted(to));
          ping(machines[from - 1], "10.9.%d.7".formatted(from), "10.9.%d.7".formatted(to));
          ping(machines[from - 1], "fd10::%d:7".formatted(from), "fd10::%d:7".formatted(to));
        }
      }
    }
    assertThat(routes(one, "10.9.1.0/26")).contains("blackhole", "proto bird");
    assertThat(routes(one, "10.9.2.0/26")).contains("proto bird metric 1024");
    assertThat(nodes.agent("node1").status().problems()).isEmpty();
    // What somebody removes or replaces comes back.
    one.exec("ip", "route", "del", "10.9.2.0/26");
    awaitRoute(one, "10.9.2.0/26", "via 172.31.9.2");
    one.exec("ip route replace 10.9.2.0/26 via 172.31.9.3 proto bird metric 1024".split(" "));
    awaitRoute(one, "10.9.2.0/26", "via 172.31.9.2");
    one.exec("ip", "route", "del", "blackhole", "10.9.1.0/26");
    awaitRoute(one, "10.9.1.0/26", "blackhole");
    // A block that is claimed now is known everywhere, one that is released is gone.
    cluster.block("10.9.77.0/26", "node3");
    awaitRoute(one, "10.9.77.0/26", "via 172.31.9.3");
    cluster.releaseBlock("10.9.77.0/26", "node3");
    Eventually.passes(LIMIT, () -> assertThat(routes(one, "10.9.77.0/26")).isEmpty());
    // A node that is deleted has no sessions any more.
    cluster.delete(Kind.NODE, "node3");
    Eventually.passes(LIMIT, () -> assertThat(routes(one, "10.9.3.0/26")).isEmpty());
    assertThat(routes(one, "10.9.2.0/26")).contains("via 172.31.9.2");
  }

  @Test
  void aReflectorInTheMiddleConnectsItsClients(Host one, Host two, Host three) {
    Host[] machines = {one, two, three};
    for (int number = 1; number <= 3; number++) {
      nodes.add(machines[number - 1], number);
    }
    cluster.edit(
        Kind.NODE,
        "node1",
        spec -> ((ObjectNode) spec.path("bgp")).put("routeReflectorClusterID", "244.0.0.1"));
    cluster.create(
        Kind.BGP_CONFIGURATION, "default", spec -> spec.put("nodeToNodeMeshEnabled", false));
    for (int number = 1; number <= 3; number++) {
      nodes.run(machines[number - 1], number);
    }
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(nodes.agent("node2").status().problems())
                .singleElement()
                .asString()
                .startsWith("this node has no BGP peer"));
    cluster.create(
        Kind.BGP_PEER,
        "reflector",
        spec -> spec.put("peerIP", "172.31.9.1").put("asNumber", 64512));
    awaitRoute(two, "10.9.3.0/26", "via 172.31.9.3");
    awaitRoute(three, "10.9.2.0/26", "via 172.31.9.2");
    awaitRoute(three, "10.9.1.0/26", "via 172.31.9.1");
    awaitRoute(one, "10.9.3.0/26", "via 172.31.9.3");
    ping(two, "10.9.2.7", "10.9.3.7");
    assertThat(nodes.ask("node2", "show", "protocols"))
        .contains("Global_172_31_9_1")
        .doesNotContain("172_31_9_3");
    assertThat(nodes.ask("node3", "show", "route", "10.9.2.0/26", "all"))
        .contains("BGP.originator_id: 172.31.9.2", "BGP.cluster_list: 244.0.0.1");
  }

  @Test
  void aRouterOfTheRackGetsWhatFiltersLeave(Host one, Host two, Host rack) throws IOException {
    nodes.add(one, 1);
    nodes.add(two, 2);
    nodes.lan().plug(rack, "172.31.9.100/24");
    cluster.pool("hidden", "10.8.0.0/16", spec -> spec.put("disableBGPExport", true));
    cluster.block("10.8.1.0/26", "node1");
    cluster.create(
        Kind.BGP_CONFIGURATION,
        "default",
        spec -> {
          spec.putArray("serviceClusterIPs").addObject().put("cidr", "10.96.0.0/16");
          spec.putArray("communities").addObject().put("name", "pods").put("value", "64512:100");
          ObjectNode advertisement = spec.putArray("prefixAdvertisements").addObject();
          advertisement.put("cidr", "10.9.0.0/16").putArray("communities").add("pods").add("1:2:3");
        });
    cluster.create(
        Kind.BGP_FILTER,
        "rack",
        spec -> {
          spec.putArray("importV4")
              .addObject()
              .put("cidr", "198.51.100.0/24")
              .put("matchOperator", "In")
              .put("action", "Reject");
          spec.putArray("exportV4")
              .addObject()
              .put("cidr", "10.9.2.0/26")
              .put("matchOperator", "Equal")
              .put("action", "Reject");
        });
    cluster.create(
        Kind.BGP_PEER,
        "rack",
        spec -> {
          spec.put("peerIP", "172.31.9.100").put("asNumber", 65001).put("node", "node1");
          spec.putArray("filters").add("rack");
          spec.putObject("password")
              .putObject("secretKeyRef")
              .put("name", "bgp")
              .put("key", "rack");
        });
    RackRouter router = new RackRouter(rack, folder.resolve("rack"));
    router.start(
        """
        router id 172.31.9.100;
        protocol device { }
        protocol direct { ipv4; }
        protocol static { ipv4; route 203.0.113.0/24 blackhole; route 198.51.100.0/24 blackhole; }
        protocol bgp node1 {
          local 172.31.9.100 as 65001; neighbor 172.31.9.1 as 64512; multihop; password "s3cret";
          connect delay time 1; error wait time 1, 2;
          ipv4 { import all; export where source = RTS_STATIC; };
        }
        """);
    nodes.run(one, 1);
    nodes.run(two, 2);
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(nodes.agent("node1").status().problems())
                .singleElement()
                .asString()
                .contains("BGPPeer rack", "entry rack of secret bgp does not exist: write it to"));
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(nodes.ask("node1", "show", "protocols"))
                .containsPattern("Node_172.* down "));
    // The secret comes later.
    Path secret = folder.resolve("secrets/bgp/rack");
    Files.createDirectories(secret.getParent());
    Files.writeString(secret, "s3cret");
    awaitRoute(one, "203.0.113.0/24", "via 172.31.9.100");
    assertThat(routes(one, "198.51.100.0/24")).isEmpty();
    assertThat(nodes.agent("node1").status().problems()).isEmpty();
    // What a node learned outside, the others learn from it.
    awaitRoute(two, "10.9.1.0/26", "via 172.31.9.1");
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(router.ask("show", "route", "10.9.1.0/26", "all"))
                .contains("BGP.community: (64512,100)", "BGP.large_community: (1, 2, 3)"));
    String known = router.ask("show", "route");
    assertThat(known)
        .contains("10.96.0.0/16", "203.0.113.0/24")
        .doesNotContain("10.9.2.0/26", "10.8.1.0/26", "10.9.1.7");
    assertThat(routes(one, "10.96.0.0/16")).as("left to kube-proxy").isEmpty();
    // What this node has no more, the router has no more.
    cluster.block("10.9.66.0/26", "node1");
    Eventually.passes(
        LIMIT, () -> assertThat(router.ask("show", "route")).contains("10.9.66.0/26"));
    cluster.releaseBlock("10.9.66.0/26", "node1");
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(router.ask("show", "route"))
                .contains("10.9.1.0/26")
                .doesNotContain("10.9.66.0/26"));
  }
}
