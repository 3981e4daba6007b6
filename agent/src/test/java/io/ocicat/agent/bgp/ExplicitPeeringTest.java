package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cases of confd's explicit_peering folder: BGPPeers of all nodes, of one, by selector. */
class ExplicitPeeringTest {
  private static final BgpWorld.BirdCheck CHECK = new BgpWorld.BirdCheck();

  private final BgpWorld world = BgpWorld.ofThreeWithIpv6();

  @BeforeEach
  void meshOff() {
    world.config("{'nodeToNodeMeshEnabled': false}");
  }

  @AfterAll
  static void birdAcceptsAll(@TempDir Path folder) {
    CHECK.run(folder);
  }

  private DesiredBgp render() {
    return CHECK.add(world.bgp());
  }

  private DesiredBgp renderAs(String node) {
    return CHECK.add(BgpWorld.seenBy(node, world).bgp());
  }

  @Test
  void global() {
    world.peer("bgppeer-1", "{'peerIP': '10.192.0.3', 'asNumber': 64512}");
    world.peer("bgppeer-2", "{'peerIP': '10.192.0.4', 'asNumber': 64512}");
    world.peer("bgppeer-3", "{'peerIP': '10.192.0.2', 'asNumber': 64512}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Global_10_192_0_3", "Global_10_192_0_4");
    assertThat(BgpWorld.session(bgp, "Global_10_192_0_3"))
        .contains(
            "local 10.192.0.2 as 64512;",
            "neighbor 10.192.0.3 as 64512;",
            "passive on;",
            "export filter export_internal4;");
    assertThat(BgpWorld.session(renderAs("kube-node-2"), "Global_10_192_0_3"))
        .doesNotContain("passive on;");
    assertThat(bgp.problems()).isEmpty();
  }

  @Test
  void globalExternal() {
    world.peer("bgppeer-1", "{'peerIP': '10.225.0.4', 'asNumber': 64566}");
    world.peer("bgppeer-2", "{'peerIP': '10.225.0.5:500', 'asNumber': 64577}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp))
        .containsExactly("Global_10_225_0_4", "Global_10_225_0_5_port_500");
    assertThat(BgpWorld.session(bgp, "Global_10_225_0_5_port_500"))
        .contains("neighbor 10.225.0.5 port 500 as 64577;", "export filter export_external4;")
        .doesNotContain("passive on;");
  }

  @Test
  void globalIpv6() {
    world.peer("bgppeer-1", "{'peerIP': '2001::103', 'asNumber': 64512}");
    world.peer("bgppeer-2", "{'peerIP': '[2001::9]:600', 'asNumber': 64577}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Global_2001__103", "Global_2001__9_port_600");
    assertThat(BgpWorld.session(bgp, "Global_2001__103"))
        .contains("local 2001::102 as 64512;", "passive on;", "ipv6 {");
  }

  @Test
  void specificNode() {
    world.peer("a", "{'node': 'kube-master', 'peerIP': '10.225.0.4', 'asNumber': 64566}");
    world.peer("b", "{'node': 'kube-node-1', 'peerIP': '10.225.0.5', 'asNumber': 64566}");
    assertThat(BgpWorld.names(render())).containsExactly("Node_10_225_0_4");
    world.peer("0", "{'peerIP': '10.225.0.4', 'asNumber': 64566}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Global_10_225_0_4");
    assertThat(bgp.problems())
        .containsExactly(
            "BGPPeer a has no session with 10.225.0.4: BGPPeer 0 has one already; delete one of"
                + " them");
  }

  @Test
  void portOfANodeIsUsed() {
    world.put(Kind.BGP_CONFIGURATION, "node.kube-node-1", "{'listenPort': 1790}");
    world.peer("a", "{'peerIP': '10.192.0.3', 'asNumber': 64512}");
    assertThat(BgpWorld.session(render(), "Global_10_192_0_3_port_1790"))
        .contains("neighbor 10.192.0.3 port 1790 as 64512;");
  }

  @Test
  void selectors() {
    world.label("kube-master", "left", "").label("kube-node-1", "right", "");
    world.peer("a", "{'nodeSelector': 'has(left)', 'peerSelector': 'has(right)'}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Node_10_192_0_3", "Node_2001__103");
    assertThat(BgpWorld.session(bgp, "Node_10_192_0_3")).doesNotContain("passive on;");
    // The other side has sessions, too, without a BGPPeer of its own.
    assertThat(BgpWorld.names(renderAs("kube-node-1")))
        .containsExactly("Node_10_192_0_2", "Node_2001__102");
    assertThat(renderAs("kube-node-2").sessions()).isEmpty();
    // Step 2: another node gets the label.
    world.label("kube-node-2", "right", "");
    assertThat(BgpWorld.names(render()))
        .containsExactly("Node_10_192_0_3", "Node_10_192_0_4", "Node_2001__103", "Node_2001__104");
  }

  @Test
  void routeReflector() {
    world.reflector("kube-master", "10.0.0.1").label("kube-master", "rr", "yes");
    world.peer("a", "{'peerSelector': 'has(rr)'}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp))
        .containsExactly("Node_10_192_0_3", "Node_10_192_0_4", "Node_2001__103", "Node_2001__104");
    assertThat(BgpWorld.session(bgp, "Node_10_192_0_3"))
        .containsSubsequence("rr client;", "rr cluster id 10.0.0.1;");
    DesiredBgp client = renderAs("kube-node-1");
    assertThat(BgpWorld.names(client)).containsExactly("Global_10_192_0_2", "Global_2001__102");
    assertThat(BgpWorld.session(client, "Global_10_192_0_2")).doesNotContain("rr client;");
  }

  @Test
  void reflectorsOfOneClusterAreNotClients() {
    world.reflector("kube-master", "10.0.0.1").label("kube-master", "rr", "yes");
    world.reflector("kube-node-1", "10.0.0.1").label("kube-node-1", "rr", "yes");
    world.reflector("kube-node-2", "10.0.0.2").label("kube-node-2", "rr", "yes");
    world.peer("a", "{'nodeSelector': 'has(rr)', 'peerSelector': 'has(rr)'}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.session(bgp, "Node_10_192_0_3")).doesNotContain("rr client;");
    assertThat(BgpWorld.session(bgp, "Node_10_192_0_4")).contains("rr client;");
  }

  @Test
  void routeReflectorPassesOnServiceRanges() {
    world.reflector("kube-master", "10.0.0.1");
    world.label("kube-master", "node.kubernetes.io/exclude-from-external-load-balancers", "true");
    world.config("{'serviceExternalIPs': [{'cidr': '80.15.0.0/24'}]}");
    assertThat(BgpWorld.block(render(), "function export_routes4"))
        .contains("if net ~ 80.15.0.0/24 then accept;");
  }

  @Test
  void routeReflectorV6ByIp() {
    world.reflector("kube-master", "10.0.0.1");
    world.peer("a", "{'peerIP': '2001::102', 'asNumber': 64512}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Node_2001__103", "Node_2001__104");
    assertThat(BgpWorld.session(bgp, "Node_2001__103")).contains("rr client;");
    assertThat(BgpWorld.names(renderAs("kube-node-1"))).containsExactly("Global_2001__102");
  }

  @Test
  void keepnexthop() {
    world.peer(
        "ext",
        "{'node': 'kube-master', 'peerIP': '10.225.0.4', 'asNumber': 64566,"
            + " 'keepOriginalNextHop': true}");
    world.peer(
        "int",
        "{'node': 'kube-master', 'peerIP': '10.225.0.5', 'asNumber': 64512,"
            + " 'keepOriginalNextHop': true}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.session(bgp, "Node_10_225_0_4")).contains("next hop keep;");
    assertThat(BgpWorld.session(bgp, "Node_10_225_0_5")).doesNotContain("next hop keep;");
  }

  @Test
  void keepnexthopGlobal() {
    world.peer("ext", "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'keepOriginalNextHop': true}");
    assertThat(BgpWorld.session(render(), "Global_10_225_0_4")).contains("next hop keep;");
  }

  @Test
  void localAs() {
    world.peer(
        "a",
        "{'node': 'kube-master', 'peerIP': '10.225.0.4', 'asNumber': 64566,"
            + " 'localASNumber': 64566}");
    assertThat(BgpWorld.session(render(), "Node_10_225_0_4"))
        .contains("local 10.192.0.2 as 64566;", "export filter export_internal4;");
  }

  @Test
  void localAsGlobal() {
    world.peer("a", "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'localASNumber': 65002}");
    assertThat(BgpWorld.session(render(), "Global_10_225_0_4"))
        .contains("local 10.192.0.2 as 65002;", "export filter export_external4;");
  }

  @Test
  void localAsIpv6() {
    world.peer(
        "a",
        "{'node': 'kube-master', 'peerIP': '2001::9', 'asNumber': 64566, 'localASNumber': 65002}");
    assertThat(BgpWorld.session(render(), "Node_2001__9")).contains("local 2001::102 as 65002;");
  }

  @Test
  void localAsGlobalIpv6() {
    world.peer("a", "{'peerIP': '2001::9', 'asNumber': 64566, 'localASNumber': 65002}");
    assertThat(BgpWorld.session(render(), "Global_2001__9")).contains("local 2001::102 as 65002;");
  }

  @Test
  void localBgpPeer() {
    world.endpoint("vm1", "{'bgp': 'yes'}", "192.168.221.65/32", "2002::1:5/128");
    world.endpoint("vm2", "{}", "192.168.221.66/32");
    world.filter("none", "{'importV4': [{'action': 'Reject'}]}");
    world.peer(
        "workloads",
        "{'localWorkloadSelector': 'has(bgp)', 'asNumber': 65401, 'filters': ['none']}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp))
        .containsExactly("Local_Workload_192_168_221_65", "Local_Workload_2002__1_5");
    assertThat(BgpWorld.session(bgp, "Local_Workload_192_168_221_65"))
        .contains(
            "local as 64512;",
            "neighbor 192.168.221.65 as 65401;",
            "passive on;",
            "import filter { import_priority4(); 'bgp_none_importFilterV4'(false); accept; };");
    assertThat(bgp.sessions().getFirst().type()).isEqualTo(ExpectedSession.Type.LOCAL_WORKLOAD);
  }

  @Test
  void anExplicitPeerReplacesTheMeshSession() {
    world.config("{}");
    world.peer("a", "{'peerIP': '10.192.0.3', 'asNumber': 64512}");
    assertThat(BgpWorld.names(render()))
        .containsExactly(
            "Global_10_192_0_3", "Mesh_10_192_0_4", "Mesh_2001__103", "Mesh_2001__104");
  }
}
