package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.view.SecretEntry;
import io.ocicat.agent.view.ViewChange;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Laws of the configuration, and what becomes of objects that cannot be used. */
class DesiredBgpTest {
  private static final BgpWorld.BirdCheck CHECK = new BgpWorld.BirdCheck();

  private final BgpWorld world = BgpWorld.ofThreeWithIpv6();

  @AfterAll
  static void birdAcceptsAll(@TempDir Path folder) {
    CHECK.run(folder);
  }

  private DesiredBgp render() {
    return CHECK.add(world.bgp());
  }

  /** Something of everything. */
  private BgpWorld full() {
    world.config(
        """
        {'serviceClusterIPs': [{'cidr': '10.96.0.0/12'}, {'cidr': 'fd00:96::/112'}],
         'nodeMeshPassword': {'secretKeyRef': {'name': 's', 'key': 'k'}},
         'communities': [{'name': 'c', 'value': '1:2'}],
         'prefixAdvertisements': [{'cidr': '192.168.0.0/16', 'communities': ['c']}]}
        """);
    world.secret("s", "k", "pw");
    world.filter("f", "{'exportV4': [{'action': 'Accept'}], 'importV6': [{'action': 'Reject'}]}");
    world.filter("g", "{'importV4': [{'action': 'Accept'}]}");
    world.peer("tor1", "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'filters': ['g', 'f']}");
    world.peer("tor2", "{'peerIP': '2001::9', 'asNumber': 64566, 'filters': ['f']}");
    world.peer("tor3", "{'peerIP': '10.225.0.4', 'asNumber': 64567}");
    world.peer("sel", "{'nodeSelector': 'all()', 'peerSelector': 'has(rr)'}");
    world.label("kube-node-2", "rr", "");
    for (int number = 0; number < 5; number++) {
      world.block("192.168.%d.0/26".formatted(number), "kube-master");
      world.pool("p" + number, "{'cidr': '10.%d.0.0/16'}".formatted(number));
    }
    return world;
  }

  @Test
  void isTheSameWhateverTheOrderOfEvents() {
    full();
    DesiredBgp expected = render();
    long seed = Long.getLong("ocicat.seed", System.nanoTime());
    System.out.println("orders come with -Docicat.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      List<Resource> shuffled = new ArrayList<>(world.resources.values());
      Collections.shuffle(shuffled, random);
      WatchedCluster view = world.view(List.of());
      for (Resource resource : shuffled) {
        // As an older version first, sometimes, or deleted in between.
        if (random.nextInt(4) == 0) {
          apply(view, new ResourceEvent.Added(resource));
          apply(view, new ResourceEvent.Deleted(resource.key(), "1", resource));
        }
        apply(view, new ResourceEvent.Added(resource));
      }
      assertThat(world.bgp(view)).as("seed %d, round %d", seed, round).isEqualTo(expected);
    }
  }

  private static Set<ViewChange> apply(WatchedCluster view, ResourceEvent event) {
    return view.apply(new ViewEvent.Changed(event.key().kind(), List.of(event)));
  }

  @Test
  void whatIsNotAboutBgpChangesNoByte() {
    full();
    String before = render().text();
    world.block("192.168.99.0/26", "kube-node-1");
    world.endpoint("web", "{'app': 'web'}", "192.168.221.70/32");
    world.label("kube-node-1", "unrelated", "label");
    world.label("kube-master", "unrelated", "label");
    world.filter("unused", "{'exportV4': [{'action': 'Reject'}]}");
    world.put(Kind.FELIX_CONFIGURATION, "default", "{'vxlanMTU': 1400}");
    world.edit(Kind.IP_POOL, "ippool-1", spec -> spec.put("natOutgoing", true));
    world.edit(Kind.NODE, "kube-node-1", spec -> spec.put("ipv4VXLANTunnelAddr", "192.168.3.3"));
    assertThat(render().text()).isEqualTo(before);
  }

  @Test
  void theViewSaysWhenBgpIsConcerned() {
    full();
    WatchedCluster view = world.view();
    Resource peer = world.get(keyOf(Kind.BGP_PEER, "tor1"));
    assertThat(apply(view, new ResourceEvent.Modified(peer))).isEmpty();
    assertThat(apply(view, new ResourceEvent.Deleted(peer.key(), "2", peer)))
        .containsExactly(new ViewChange.BgpChanged());
    world.label("kube-node-1", "new", "label");
    assertThat(apply(view, new ResourceEvent.Modified(world.get(keyOf(Kind.NODE, "kube-node-1")))))
        .containsExactly(new ViewChange.BgpChanged());
    // What is gone from a list is gone.
    view.apply(new ViewEvent.Listed(Kind.BGP_PEER, List.of(), List.of()));
    view.apply(new ViewEvent.Listed(Kind.BGP_FILTER, List.of(), List.of()));
    view.apply(new ViewEvent.Listed(Kind.BGP_CONFIGURATION, List.of(), List.of()));
    assertThat(view.bgpPeers()).isEmpty();
    assertThat(view.bgpFilters()).isEmpty();
    assertThat(view.bgpConfigurations()).isEmpty();
  }

  private static ResourceKey keyOf(Kind kind, String name) {
    return ResourceKey.of(kind, name);
  }

  @Test
  void oneBadPeerIsLeftOut() {
    world.putInvalid(Kind.BGP_PEER, "b1", "{'peerIP': '10.225.0', 'asNumber': 64566}");
    world.putInvalid(Kind.BGP_PEER, "b2", "{'peerIP': '10.225.0.5', 'asNumber': 4294967296}");
    world.putInvalid(Kind.BGP_PEER, "b3", "{'peerSelector': 'has('}");
    world.putInvalid(Kind.BGP_PEER, "b4", "{'peerIP': '10.225.0.6', 'ttlSecurity': 256}");
    world.putInvalid(Kind.BGP_PEER, "b5", "{'peerIP': '10.225.0.7:70000', 'asNumber': 1}");
    world.peer("c1", "{'peerIP': '10.225.0.8'}");
    world.peer("c2", "{'peerIP': 'fe80::1', 'asNumber': 64566}");
    world.peer("c3", "{}");
    world.putInvalid(
        Kind.BGP_PEER, "c4", "{'peerIP': '10.225.0.9', 'asNumber': 1, 'reachableBy': '2001::1'}");
    world.peer("good", "{'peerIP': '10.225.0.4', 'asNumber': 64566}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.names(bgp)).contains("Global_10_225_0_4", "Mesh_10_192_0_3").hasSize(5);
    assertThat(bgp.problems())
        .containsExactly(
            "BGPPeer c1 is not used: set asNumber, the AS number of 10.225.0.8",
            "BGPPeer c2 is not used: fe80::1 cannot be a peer's address",
            "BGPPeer c3 is not used: set peerIP, peerSelector or localWorkloadSelector",
            "BGPPeer c4 is not used: reachableBy 2001::1 is not of peerIP's family");
    assertThat(world.view().problems()).hasSize(5);
    assertThat(world.view().problems().get(keyOf(Kind.BGP_PEER, "b2")))
        .isEqualTo(
            "cannot be used: asNumber must be an AS number of 1–4294967295, not \"4294967296\":"
                + " correct it");
  }

  @Test
  void oneBadRuleIsLeftOut() {
    world.putInvalid(
        Kind.BGP_FILTER,
        "f",
        """
        {'exportV4': [
          {'cidr': '10.0.0.1/8', 'matchOperator': 'In', 'action': 'Accept'},
          {'cidr': '10.0.0.0/8', 'matchOperator': 'In', 'action': 'Accept',
           'prefixLength': {'min': 28, 'max': 26}},
          {'cidr': '2001::/64', 'matchOperator': 'In', 'action': 'Accept'},
          {'communities': {'values': ['70000:1']}, 'action': 'Accept'},
          {'interface': 'a\\\\b', 'action': 'Accept'},
          {'action': 'Perhaps'},
          {'asPathPrefix': [0], 'action': 'Accept'},
          {'cidr': '10.0.0.0/8', 'matchOperator': 'Near', 'action': 'Accept'}]}
        """);
    world.peer("tor", "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'filters': ['f']}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "function 'bgp_f_exportFilterV4'"))
        .containsExactly("if net ~ 10.0.0.0/8 then { accept; }");
    assertThat(bgp.problems())
        .hasSize(7)
        .allMatch(problem -> problem.startsWith("BGPFilter f: exportV4["))
        .first()
        .isEqualTo(
            "BGPFilter f: exportV4[1] is left out: prefixLength.max must be at least 28, not 26:"
                + " correct it");
  }

  @Test
  void badConfigurationIsLeftOutItemByItem() {
    world.putInvalid(
        Kind.BGP_CONFIGURATION,
        "default",
        """
        {'serviceClusterIPs': [{'cidr': 'nonsense'}, {'cidr': '10.96.0.1/12'}],
         'ignoredInterfaces': ['eth\\"0', 'ens*'],
         'prefixAdvertisements': [{'cidr': '192.168.0.0/16', 'communities': ['x', '70000:1']}]}
        """);
    DesiredBgp bgp = render();
    assertThat(bgp.text()).contains("route 10.96.0.0/12 blackhole;", "-\"ens*\"");
    assertThat(bgp.problems()).hasSize(4);
  }

  @Test
  void nothingIsWrittenWithoutTheClustersConfiguration() {
    world.putInvalid(Kind.BGP_CONFIGURATION, "default", "{'asNumber': 'many'}");
    DesiredBgp bgp = world.bgp();
    assertThat(bgp.text()).isEmpty();
    assertThat(bgp.problems())
        .containsExactly("BGP waits: BGPConfiguration default cannot be used");
  }

  @Test
  void nothingIsWrittenWithoutTheNode() {
    world.delete(Kind.NODE, "kube-master");
    assertThat(world.bgp().text()).isEmpty();
    world.node("kube-master", "{'orchRefs': []}");
    assertThat(world.bgp().problems().getFirst()).startsWith("BGP waits: this node has no address");
  }

  @Test
  void passwordsThatBirdCannotReadAreRefused() {
    List<String> bad =
        List.of("with\"quote", "two\nlines", "ends\n", "", "x".repeat(81), "nul\0", "tab\rcr");
    for (int number = 0; number < bad.size(); number++) {
      world.secret("s", "k" + number, bad.get(number));
      world.peer(
          "p" + number,
          "{'peerIP': '10.225.0.%d', 'asNumber': 1, 'password': {'secretKeyRef': {'name': 's',"
                  .formatted(number + 1)
              + " 'key': 'k%d'}}}".formatted(number));
    }
    DesiredBgp bgp = render();
    assertThat(bgp.problems()).hasSize(bad.size()).noneMatch(line -> line.contains("with\"quote"));
    assertThat(bgp.sessions().stream().filter(ExpectedSession::disabled)).hasSize(bad.size());
    assertThat(bgp.text()).doesNotContain("password");
    assertThat(world.secrets.get(new SecretEntry("s", "k1"))).hasToString("Found[text=***]");
  }

  @Test
  void badReflectorAndRouterIdsAreIgnored() {
    world.reflector("kube-master", "not-an-address");
    world.peer("a", "{'peerIP': '10.192.0.3', 'asNumber': 64512}");
    world.environment("CALICO_ROUTER_ID", "2001::1");
    world.environment("CALICO_ADVERTISE_CLUSTER_IPS", "ten");
    DesiredBgp bgp = render();
    assertThat(bgp.text()).doesNotContain("rr client").contains("router id 10.192.0.2;");
    assertThat(bgp.problems()).hasSize(3);
  }

  @Test
  void hintsNameWhatUsersRunInto() {
    world.config("{'nodeToNodeMeshEnabled': false}");
    assertThat(render().problems())
        .singleElement()
        .asString()
        .startsWith("this node has no BGP peer: nodeToNodeMeshEnabled");
    world.config("{}");
    world.node("clone", "{'bgp': {'ipv4Address': '10.192.0.3/16'}}");
    assertThat(render().problems())
        .containsExactly(
            "nodes clone and kube-node-1 have the same address 10.192.0.3: correct one of them");
    world.delete(Kind.NODE, "clone");
    world.environment("CALICO_ROUTER_ID", "10.192.0.4");
    assertThat(render().problems())
        .containsExactly(
            "this node has the router id 10.192.0.4, as node kube-node-2 does: set CALICO_ROUTER_ID"
                + " of one of them");
    world.environment.remove("CALICO_ROUTER_ID");
    for (int number = 1; number <= 98; number++) {
      world.node("n" + number, "{'bgp': {'ipv4Address': '10.193.0.%d/16'}}".formatted(number));
    }
    assertThat(render().problems())
        .singleElement()
        .asString()
        .startsWith("the full mesh has 101 nodes");
  }

  @Test
  void timesOutOfRangeAreIgnored() {
    world.peer(
        "tor",
        "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'maxRestartTime': '2h', 'keepaliveTime':"
            + " '100ms'}");
    DesiredBgp bgp = render();
    assertThat(bgp.problems())
        .containsExactly(
            "BGPPeer tor: keepaliveTime must be 1–21845 seconds, not 0: it is ignored",
            "BGPPeer tor: maxRestartTime must be 1–4095 seconds, not 7200: it is ignored");
  }
}
