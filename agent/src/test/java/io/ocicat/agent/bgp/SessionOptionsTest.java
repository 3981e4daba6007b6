package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.view.SecretEntry;
import io.ocicat.datastore.resource.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cases of confd about single options of sessions, and about who programs which routes. */
class SessionOptionsTest {
  private static final BgpWorld.BirdCheck CHECK = new BgpWorld.BirdCheck();
  private static final String TOR = "'peerIP': '10.225.0.4', 'asNumber': 64566";
  private static final String SESSION = "Global_10_225_0_4";

  private final BgpWorld world = BgpWorld.ofThree();

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

  private List<String> withOptions(String options) {
    world.peer("tor", "{%s, %s}".formatted(TOR, options));
    return BgpWorld.session(render(), SESSION);
  }

  private List<String> toKernel() {
    return BgpWorld.block(render(), "filter to_kernel4").stream()
        .filter(line -> line.contains("net ~"))
        .toList();
  }

  private void poolsOfAllKinds() {
    world.pool("plain", "{'cidr': '10.1.0.0/16'}");
    world.pool("ipip", "{'cidr': '10.2.0.0/16', 'ipipMode': 'Always'}");
    world.pool("vxlan", "{'cidr': '10.3.0.0/16', 'vxlanMode': 'Always'}");
    world.delete(Kind.IP_POOL, "ippool-1");
  }

  @Test
  void clusterRoutesDefault() {
    poolsOfAllKinds();
    assertThat(toKernel())
        .containsExactly(
            "if net ~ 10.1.0.0/16 then accept;",
            "if net ~ 10.2.0.0/16 then reject;",
            "if net ~ 10.3.0.0/16 then reject;");
  }

  @Test
  void clusterRoutesEnabled() {
    poolsOfAllKinds();
    world.config("{'programClusterRoutes': 'Enabled'}");
    assertThat(toKernel()).contains("if net ~ 10.1.0.0/16 then accept;");
    assertThat(render().problems()).singleElement().asString().contains("BIRD 2 cannot do");
  }

  @Test
  void clusterRoutesIpipOnly() {
    poolsOfAllKinds();
    world.config("{'programClusterRoutes': 'EnabledIPIPOnly'}");
    assertThat(toKernel()).allMatch(line -> line.endsWith("reject;"));
    assertThat(render().problems())
        .anyMatch(problem -> problem.startsWith("nobody programs the routes of pools without"));
  }

  @Test
  void clusterRoutesNoencapOnly() {
    poolsOfAllKinds();
    world.config("{'programClusterRoutes': 'EnabledNoEncapOnly'}");
    assertThat(toKernel()).contains("if net ~ 10.1.0.0/16 then accept;");
    assertThat(render().problems()).isEmpty();
  }

  @Test
  void felixClusterRouting() {
    poolsOfAllKinds();
    world.config("{'programClusterRoutes': 'Disabled'}");
    world.environment("FELIX_PROGRAMCLUSTERROUTES", "Enabled");
    assertThat(toKernel()).hasSize(3).allMatch(line -> line.endsWith("reject;"));
    assertThat(render().problems()).isEmpty();
  }

  @Test
  void nextHopMode() {
    assertThat(withOptions("'nextHopMode': 'Self'")).contains("next hop self;");
    assertThat(withOptions("'nextHopMode': 'Keep'")).contains("next hop keep;");
    assertThat(withOptions("'nextHopMode': 'Auto'")).noneMatch(line -> line.contains("next hop"));
  }

  @Test
  void reachableByGlobalPeers() {
    withOptions("'reachableBy': '10.192.0.254'");
    assertThat(BgpWorld.block(render(), "protocol static static4"))
        .contains("route 10.225.0.4/32 via 10.192.0.254;");
  }

  @Test
  void reachableByRouteReflectors() {
    world.config("{'nodeToNodeMeshEnabled': false}");
    world.reflector("kube-node-1", "10.0.0.1");
    world.peer(
        "rr",
        "{'peerIP': '10.192.0.3', 'asNumber': 64512, 'reachableBy': '10.192.0.254',"
            + " 'nodeSelector': '!has(rr)'}");
    world.label("kube-node-1", "rr", "");
    assertThat(BgpWorld.block(render(), "protocol static static4"))
        .contains("route 10.192.0.3/32 via 10.192.0.254;");
    DesiredBgp reflector = renderAs("kube-node-1");
    assertThat(BgpWorld.names(reflector)).containsExactly("Node_10_192_0_2", "Node_10_192_0_4");
    assertThat(reflector.text()).doesNotContain(" via ");
  }

  private void reversed(String mode) {
    world.config("{'nodeToNodeMeshEnabled': false}");
    world.label("kube-node-1", "rr", "");
    world.secret("passwords", "rr", "s3cret");
    world.peer(
        "rr",
        """
        {'node': 'kube-master', 'peerSelector': 'has(rr)', 'reversePeering': '%s',
         'ttlSecurity': 1, 'nextHopMode': 'Self',
         'password': {'secretKeyRef': {'name': 'passwords', 'key': 'rr'}}}
        """
            .formatted(mode));
  }

  @Test
  void reversePeeringAuto() {
    reversed("Auto");
    assertThat(BgpWorld.session(renderAs("kube-node-1"), "Node_10_192_0_2"))
        .contains("password \"s3cret\";", "multihop 1;", "ttl security on;", "next hop self;");
  }

  @Test
  void reversePeeringManual() {
    reversed("Manual");
    assertThat(BgpWorld.names(render())).containsExactly("Node_10_192_0_3");
    assertThat(renderAs("kube-node-1").sessions()).isEmpty();
  }

  @Test
  void ttlSecurityExplicitNode() {
    world.peer("tor", "{'node': 'kube-master', %s, 'ttlSecurity': 1}".formatted(TOR));
    assertThat(BgpWorld.session(render(), "Node_10_225_0_4"))
        .contains("multihop 1;", "ttl security on;");
  }

  @Test
  void ttlSecurityGlobal() {
    assertThat(withOptions("'ttlSecurity': 5")).contains("multihop 5;", "ttl security on;");
    assertThat(withOptions("'ttlSecurity': 0"))
        .contains("multihop;")
        .doesNotContain("ttl security on;");
  }

  @Test
  void ttlSecurityPeerSelector() {
    world.peer("all", "{'peerSelector': 'all()', 'ttlSecurity': 2}");
    assertThat(BgpWorld.session(render(), "Global_10_192_0_3")).contains("multihop 2;");
  }

  @Test
  void ignoredInterfaces() {
    world.config("{'ignoredInterfaces': ['iface-1', 'iface-2*']}");
    assertThat(BgpWorld.block(render(), "protocol direct direct1"))
        .contains("interface -\"cali*\", -\"iface-1\", -\"iface-2*\", -\"kube-ipvs*\", \"*\";");
  }

  @Test
  void sourceaddrGracefulrestart() {
    assertThat(withOptions("'sourceAddress': 'UseNodeIP'")).contains("local 10.192.0.2 as 64512;");
    assertThat(withOptions("'sourceAddress': 'None'")).contains("local as 64512;");
    assertThat(withOptions("'sourceAddress': 'None', 'maxRestartTime': '10s'"))
        .contains("graceful restart time 10;");
  }

  @Test
  void keepaliveTime() {
    assertThat(withOptions("'keepaliveTime': '20s'")).contains("keepalive time 20;");
    assertThat(withOptions("'keepaliveTime': '5m'"))
        .containsSubsequence("hold time 900;", "keepalive time 300;");
  }

  @Test
  void numAllowedLocalAsNumbers() {
    assertThat(withOptions("'numAllowedLocalASNumbers': 2")).contains("allow local as 2;");
  }

  @Test
  void bindMode() {
    world.config("{'bindMode': 'NodeIP'}");
    assertThat(withOptions("'sourceAddress': 'None'")).contains("local 10.192.0.2 as 64512;");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "template bgp peers4")).contains("strict bind on;");
    assertThat(bgp.problems()).singleElement().asString().contains("bindMode");
  }

  @Test
  void password() {
    String entry = "'password': {'secretKeyRef': {'name': 's', 'key': '%s'}}";
    assertThat(withOptions(entry.formatted("a"))).contains("disabled;");
    world.secret("s", "a", "one");
    assertThat(withOptions(entry.formatted("a"))).contains("password \"one\";");
    world.secret("s", "a", "two");
    assertThat(withOptions(entry.formatted("a"))).contains("password \"two\";");
    assertThat(withOptions(entry.formatted("b"))).contains("disabled;");
    world.secret("s", "b", "three");
    assertThat(withOptions(entry.formatted("b"))).contains("password \"three\";");
    world.secrets.clear();
    assertThat(withOptions(entry.formatted("b")))
        .contains("disabled;")
        .noneMatch(line -> line.startsWith("password"));
    world.secrets.put(new SecretEntry("s", "b"), new BgpSecrets.Answer.Pending());
    assertThat(render().pending()).isTrue();
  }

  @Test
  void passwordDeadlock() {
    world.secret("s", "k", "shared");
    for (int number = 1; number < 100; number++) {
      world.peer(
          "p" + number,
          "{'peerIP': '10.225.1.%d', 'asNumber': 64566, %s}"
              .formatted(number, "'password': {'secretKeyRef': {'name': 's', 'key': 'k'}}"));
    }
    DesiredBgp bgp = render();
    assertThat(bgp.sessions()).hasSize(99 + 2);
    assertThat(bgp.text().split("password \"shared\";", -1)).hasSize(100);
  }

  @Test
  void idlePeers() {
    world.peer("tor", "{%s}".formatted(TOR));
    String before = render().text();
    world.peer("tor", "{%s}".formatted(TOR));
    assertThat(render().text()).isEqualTo(before);
  }

  @Test
  void nodeDeletion() {
    world.delete(Kind.NODE, "kube-node-1");
    assertThat(BgpWorld.names(render())).containsExactly("Mesh_10_192_0_4");
  }

  @Test
  void logLevel() {
    assertThat(render().text()).contains("debug protocols { states };");
    world.config("{'logSeverityScreen': 'Debug'}");
    assertThat(render().text()).contains("debug protocols all;");
    world.put(Kind.BGP_CONFIGURATION, "node.kube-master", "{'logSeverityScreen': 'Fatal'}");
    assertThat(render().text()).contains("debug protocols off;");
    world.environment("BGP_LOGSEVERITYSCREEN", "debug");
    assertThat(render().text()).contains("debug protocols all;");
  }
}
