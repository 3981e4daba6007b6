package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.ip.IpAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** The cases of confd's mesh folder: full mesh, pools, communities, services. */
class MeshConfigurationTest {
  private static final BgpWorld.BirdCheck CHECK = new BgpWorld.BirdCheck();

  private final BgpWorld world = BgpWorld.ofThree();

  @AfterAll
  static void birdAcceptsAll(@TempDir Path folder) {
    CHECK.run(folder);
  }

  private DesiredBgp render() {
    return CHECK.add(world.bgp());
  }

  private static List<String> toKernel(DesiredBgp bgp) {
    return BgpWorld.block(bgp, "filter to_kernel4");
  }

  private static List<String> toPeers(DesiredBgp bgp) {
    return BgpWorld.block(bgp, "function export_routes4");
  }

  @Test
  void ipipOff() {
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).containsExactly("Mesh_10_192_0_3", "Mesh_10_192_0_4");
    assertThat(BgpWorld.session(bgp, "Mesh_10_192_0_3"))
        .containsExactly(
            "description \"node kube-node-1\";",
            "local 10.192.0.2 as 64512;",
            "neighbor 10.192.0.3 as 64512;",
            "multihop;",
            "passive on;",
            "ipv4 {",
            "import filter import4;",
            "export filter export_internal4;",
            "};");
    assertThat(BgpWorld.block(bgp, "protocol static static4"))
        .containsExactly("ipv4;", "route 192.168.221.64/26 blackhole;");
    assertThat(toPeers(bgp))
        .containsSubsequence(
            "if net = 192.168.221.64/26 then accept;",
            "if net ~ 192.168.221.64/26 then { if krt_metric > 0 && krt_metric < 1024 then accept;"
                + " reject; }",
            "if net ~ 192.168.0.0/16 then accept;");
    assertThat(toKernel(bgp))
        .containsSubsequence("if net ~ 192.168.0.0/16 then accept;", "accept;");
    assertThat(bgp.text()).contains("router id 10.192.0.2;").doesNotContain("kernel6");
    assertThat(bgp.problems()).isEmpty();
    assertThat(bgp.sessions())
        .extracting(ExpectedSession::type)
        .containsOnly(ExpectedSession.Type.NODE_MESH);
    assertThat(bgp.sessions().getFirst())
        .isEqualTo(
            new ExpectedSession(
                "Mesh_10_192_0_3",
                IpAddress.parse("10.192.0.3"),
                ExpectedSession.Type.NODE_MESH,
                64512,
                false));
  }

  @Test
  void ipipAlways() {
    world.pool("ippool-1", "{'cidr': '192.168.0.0/16', 'ipipMode': 'Always'}");
    DesiredBgp bgp = render();
    assertThat(toKernel(bgp)).contains("if net ~ 192.168.0.0/16 then reject;");
    assertThat(toPeers(bgp)).contains("if net ~ 192.168.0.0/16 then accept;");
  }

  @Test
  void ipipCrossSubnet() {
    world.pool("ippool-1", "{'cidr': '192.168.0.0/16', 'ipipMode': 'CrossSubnet'}");
    assertThat(toKernel(render())).contains("if net ~ 192.168.0.0/16 then reject;");
  }

  @Test
  void vxlanAlways() {
    world.pool("ippool-1", "{'cidr': '192.168.0.0/16', 'vxlanMode': 'Always'}");
    world.pool("smaller", "{'cidr': '192.168.128.0/20'}");
    DesiredBgp bgp = render();
    assertThat(toKernel(bgp))
        .as("the longest prefix first")
        .containsSubsequence(
            "if net ~ 192.168.128.0/20 then accept;", "if net ~ 192.168.0.0/16 then reject;");
    assertThat(toPeers(bgp)).contains("if net ~ 192.168.0.0/16 then accept;");
  }

  @Test
  void bgpExport() {
    world.pool("hidden", "{'cidr': '10.8.0.0/16', 'disableBGPExport': true}");
    world.pool("shown", "{'cidr': '10.8.128.0/20'}");
    assertThat(toPeers(render()))
        .startsWith("if net ~ 10.8.0.0/16 && !(net ~ 10.8.128.0/20) then reject;")
        .contains("if net ~ 10.8.128.0/20 then accept;")
        .doesNotContain("if net ~ 10.8.0.0/16 then accept;");
  }

  @Test
  void routeReflectorMeshEnabled() {
    world.reflector("kube-node-1", "10.0.0.1");
    assertThat(BgpWorld.names(render())).containsExactly("Mesh_10_192_0_4");
    DesiredBgp reflector = CHECK.add(BgpWorld.seenBy("kube-node-1", world).bgp());
    assertThat(reflector.sessions()).isEmpty();
    assertThat(reflector.problems()).singleElement().asString().contains("as a route reflector");
  }

  @Test
  void hash() {
    world.environment("CALICO_ROUTER_ID", "hash");
    assertThat(render().text()).contains("router id 25.79.212.8;");
    world.environment("CALICO_ROUTER_ID", "10.9.9.9");
    assertThat(render().text()).contains("router id 10.9.9.9;");
  }

  @Test
  void staticRoutesNoIpv4Address() {
    BgpWorld v6 = BgpWorld.ofThreeWithIpv6();
    for (String node : List.of("kube-master", "kube-node-1", "kube-node-2")) {
      v6.edit(Kind.NODE, node, spec -> ((ObjectNode) spec.path("bgp")).remove("ipv4Address"));
    }
    v6.environment("CALICO_ADVERTISE_CLUSTER_IPS", "10.101.0.0/16,fd00:96::/112");
    DesiredBgp bgp = CHECK.add(v6.bgp());
    assertThat(bgp.text()).contains("router id 25.79.212.8;").doesNotContain("kernel4");
    assertThat(BgpWorld.block(bgp, "protocol static static6"))
        .contains("route fd00:96::/112 blackhole;");
    assertThat(BgpWorld.names(bgp)).containsExactly("Mesh_2001__103", "Mesh_2001__104");
  }

  @Test
  void communities() {
    world.config(
        """
        {'communities': [{'name': 'site', 'value': '300:12:55'}],
         'prefixAdvertisements': [
           {'cidr': '192.168.0.0/16', 'communities': ['site', '100:5']},
           {'cidr': '192.168.64.0/20', 'communities': ['100:7']}]}
        """);
    assertThat(toPeers(render()))
        .contains(
            "if net ~ 192.168.0.0/16 then { bgp_large_community.add((300, 12, 55));"
                + " bgp_community.add((100, 5)); }",
            "if net ~ 192.168.64.0/20 then { bgp_community.add((100, 7)); }");
    // Step 2: the node's list replaces the cluster's.
    world.put(
        Kind.BGP_CONFIGURATION,
        "node.kube-master",
        """
        {'communities': [{'name': 'other', 'value': '65535:65535'}],
         'prefixAdvertisements': [{'cidr': '192.168.0.0/16', 'communities': ['other']}]}
        """);
    assertThat(toPeers(render()))
        .contains("if net ~ 192.168.0.0/16 then { bgp_community.add((65535, 65535)); }")
        .noneMatch(line -> line.contains("100, 7"));
  }

  @Test
  void restartTime() {
    world.config("{'nodeMeshMaxRestartTime': '200s'}");
    assertThat(BgpWorld.session(render(), "Mesh_10_192_0_3"))
        .contains("graceful restart time 200;");
  }

  @Test
  void password() {
    world.config("{'nodeMeshPassword': {'secretKeyRef': {'name': 'my-secrets-1', 'key': 'a'}}}");
    DesiredBgp without = render();
    assertThat(BgpWorld.session(without, "Mesh_10_192_0_3")).contains("disabled;");
    assertThat(without.sessions()).allMatch(ExpectedSession::disabled);
    assertThat(without.problems())
        .containsExactly(
            "nodeMeshPassword of BGPConfiguration default: its sessions are disabled until the"
                + " password is known: entry a of secret my-secrets-1 does not exist");
    world.secret("my-secrets-1", "a", "password-a");
    assertThat(BgpWorld.session(render(), "Mesh_10_192_0_3"))
        .contains("password \"password-a\";")
        .doesNotContain("disabled;");
    world.secret("my-secrets-1", "a", "new-password-a");
    assertThat(BgpWorld.session(render(), "Mesh_10_192_0_3"))
        .contains("password \"new-password-a\";");
  }

  private void staticRoutesWorld() {
    world.config(
        """
        {'serviceClusterIPs': [{'cidr': '10.101.0.0/16'}],
         'serviceExternalIPs': [{'cidr': '80.15.0.0/24'}, {'cidr': '45.12.70.5/32'}],
         'serviceLoadBalancerIPs': [{'cidr': '90.1.0.0/24'}]}
        """);
    world.services =
        new ServiceRoutes(
            List.of(
                service("local-here", "10.101.0.101", "80.15.0.9", true, true, true),
                service("local-elsewhere", "10.101.0.102", "80.15.0.10", true, true, false),
                service("single", "10.101.0.103", "45.12.70.5", false, true, false),
                service("everywhere", "10.101.0.104", "80.15.0.11", false, true, true),
                service("outside", "10.200.0.1", "81.0.0.1", true, true, true)));
  }

  private static ServiceRoutes.Service service(
      String name, String cluster, String external, boolean local, boolean ready, boolean here) {
    return new ServiceRoutes.Service(
        name,
        List.of(IpAddress.parse(cluster)),
        List.of(IpAddress.parse(external)),
        List.of(),
        local,
        ready,
        here);
  }

  @Test
  void staticRoutes() {
    staticRoutesWorld();
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "protocol static static4"))
        .containsExactly(
            "ipv4;",
            "route 10.101.0.0/16 blackhole;",
            "route 10.101.0.101/32 blackhole;",
            "route 10.101.0.103/32 blackhole;",
            "route 45.12.70.5/32 blackhole;",
            "route 80.15.0.0/24 blackhole;",
            "route 80.15.0.9/32 blackhole;",
            "route 90.1.0.0/24 blackhole;",
            "route 192.168.221.64/26 blackhole;");
    assertThat(toPeers(bgp))
        .contains("if net ~ 10.101.0.101/32 then accept;", "if net ~ 90.1.0.0/24 then accept;");
    assertThat(toKernel(bgp))
        .containsSubsequence(
            "if net ~ 45.12.70.5/32 then reject;",
            "if net ~ 80.15.0.0/24 then reject;",
            "if net ~ 90.1.0.0/24 then reject;",
            "if net ~ 10.101.0.0/16 then reject;",
            "accept;")
        .noneMatch(line -> line.contains("10.101.0.101"));
  }

  @Test
  void staticRoutesWithoutAggregation() {
    world.config(
        """
        {'serviceLoadBalancerAggregation': 'Disabled',
         'serviceLoadBalancerIPs': [{'cidr': '90.1.0.0/24'}]}
        """);
    world.services =
        new ServiceRoutes(
            List.of(
                new ServiceRoutes.Service(
                    "balanced",
                    List.of(IpAddress.parse("10.101.0.1")),
                    List.of(),
                    List.of(IpAddress.parse("90.1.0.7")),
                    false,
                    true,
                    false)));
    assertThat(BgpWorld.block(render(), "protocol static static4"))
        .contains("route 90.1.0.7/32 blackhole;")
        .doesNotContain("route 90.1.0.0/24 blackhole;");
  }

  @Test
  void staticRoutesExcludeNode() {
    staticRoutesWorld();
    world.label("kube-master", "node.kubernetes.io/exclude-from-external-load-balancers", "true");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "protocol static static4"))
        .containsExactly("ipv4;", "route 192.168.221.64/26 blackhole;");
    assertThat(toPeers(bgp)).noneMatch(line -> line.contains("10.101"));
    assertThat(toKernel(bgp))
        .contains("if net ~ 10.101.0.0/16 then reject;", "if net ~ 90.1.0.0/24 then reject;");
    // Step 2: the label is gone.
    world.label("kube-master", "node.kubernetes.io/exclude-from-external-load-balancers", "false");
    assertThat(BgpWorld.block(render(), "protocol static static4"))
        .contains("route 10.101.0.0/16 blackhole;");
  }

  @Test
  void addressesAreComparedAsText() {
    world.node("kube-node-9", "{'bgp': {'ipv4Address': '10.192.0.10/16'}}");
    assertThat(BgpWorld.session(render(), "Mesh_10_192_0_10")).doesNotContain("passive on;");
    assertThat(
            BgpWorld.session(
                CHECK.add(BgpWorld.seenBy("kube-node-9", world).bgp()), "Mesh_10_192_0_2"))
        .contains("passive on;");
  }

  @Test
  void numbersOfAutonomousSystemsAndPorts() {
    world.config("{'asNumber': 64513, 'listenPort': 1790}");
    world.node("kube-node-1", "{'bgp': {'ipv4Address': '10.192.0.3/16', 'asNumber': '1.10'}}");
    world.put(Kind.BGP_CONFIGURATION, "node.kube-node-2", "{'listenPort': 1791}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.session(bgp, "Mesh_10_192_0_3"))
        .contains(
            "local 10.192.0.2 port 1790 as 64513;",
            "neighbor 10.192.0.3 port 1790 as 65546;",
            "export filter export_external4;");
    assertThat(BgpWorld.session(bgp, "Mesh_10_192_0_4"))
        .contains("neighbor 10.192.0.4 port 1791 as 64513;", "export filter export_internal4;");
  }
}
