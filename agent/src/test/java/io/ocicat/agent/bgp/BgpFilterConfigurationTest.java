package io.ocicat.agent.bgp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.resource.Kind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cases of confd's bgpfilter folder. */
class BgpFilterConfigurationTest {
  private static final BgpWorld.BirdCheck CHECK = new BgpWorld.BirdCheck();
  private static final String SESSION = "Global_10_225_0_4";
  private static final String SESSION_V6 = "Global_2001__9";

  private final BgpWorld world = BgpWorld.ofThreeWithIpv6();

  @AfterAll
  static void birdAcceptsAll(@TempDir Path folder) {
    CHECK.run(folder);
  }

  private DesiredBgp render() {
    return CHECK.add(world.bgp());
  }

  private void peers(String filters) {
    world.config("{'nodeToNodeMeshEnabled': false}");
    world.peer(
        "v4", "{'peerIP': '10.225.0.4', 'asNumber': 64566, 'filters': %s}".formatted(filters));
    world.peer("v6", "{'peerIP': '2001::9', 'asNumber': 64566, 'filters': %s}".formatted(filters));
  }

  private static List<String> function(DesiredBgp bgp, String name) {
    return BgpWorld.block(bgp, "function '%s'".formatted(name));
  }

  private static final String IN_AND_OUT =
      """
      {'importV4': [{'cidr': '44.4.0.0/16', 'matchOperator': 'In', 'action': 'Accept'}],
       'exportV4': [{'cidr': '77.0.0.0/16', 'matchOperator': 'NotIn', 'action': 'Reject'}],
       'importV6': [{'cidr': '5000::/64', 'matchOperator': 'In', 'action': 'Accept'}],
       'exportV6': [{'cidr': '9000::/64', 'matchOperator': 'Equal', 'action': 'Reject'}]}
      """;

  @Test
  void singleFilter() {
    world.filter("test-filter", IN_AND_OUT);
    peers("['test-filter']");
    DesiredBgp bgp = render();
    assertThat(function(bgp, "bgp_test-filter_importFilterV4"))
        .containsExactly("if net ~ 44.4.0.0/16 then { accept; }");
    assertThat(function(bgp, "bgp_test-filter_exportFilterV4"))
        .containsExactly("if net !~ 77.0.0.0/16 then { reject; }");
    assertThat(function(bgp, "bgp_test-filter_exportFilterV6"))
        .containsExactly("if net = 9000::/64 then { reject; }");
    assertThat(BgpWorld.session(bgp, SESSION))
        .contains(
            "import filter { import_priority4(); 'bgp_test-filter_importFilterV4'(false); accept;"
                + " };",
            "export filter { export_priority4(); 'bgp_test-filter_exportFilterV4'(false);"
                + " export_routes4(false); reject; };");
    assertThat(BgpWorld.session(bgp, SESSION_V6))
        .contains(
            "import filter { import_priority6(); 'bgp_test-filter_importFilterV6'(false); accept;"
                + " };");
  }

  @Test
  void multiFilter() {
    world.filter("b", IN_AND_OUT);
    world.filter("a", IN_AND_OUT);
    peers("['b', 'a']");
    assertThat(BgpWorld.session(render(), SESSION))
        .as("in the order of the peer's list")
        .contains(
            "import filter { import_priority4(); 'bgp_b_importFilterV4'(false);"
                + " 'bgp_a_importFilterV4'(false); accept; };");
  }

  @Test
  void importOnly() {
    world.filter("f", "{'importV4': [{'action': 'Reject'}]}");
    peers("['f']");
    DesiredBgp bgp = render();
    assertThat(function(bgp, "bgp_f_importFilterV4")).containsExactly("reject;");
    assertThat(bgp.text()).doesNotContain("bgp_f_export").doesNotContain("bgp_f_importFilterV6");
    assertThat(BgpWorld.session(bgp, SESSION)).contains("export filter export_external4;");
  }

  @Test
  void exportOnly() {
    world.filter("f", "{'exportV4': [{'action': 'Accept'}]}");
    peers("['f']");
    assertThat(BgpWorld.session(render(), SESSION))
        .contains(
            "import filter import4;",
            "export filter { export_priority4(); 'bgp_f_exportFilterV4'(false);"
                + " export_routes4(false); reject; };");
  }

  @Test
  void v4Only() {
    world.filter("f", "{'exportV4': [{'action': 'Accept'}], 'importV4': [{'action': 'Accept'}]}");
    peers("['f']");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.session(bgp, SESSION_V6))
        .contains("import filter import6;", "export filter export_external6;");
    assertThat(bgp.text()).doesNotContain("FilterV6");
  }

  @Test
  void v6Only() {
    world.filter("f", "{'exportV6': [{'action': 'Accept'}], 'importV6': [{'action': 'Accept'}]}");
    peers("['f']");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.session(bgp, SESSION)).contains("import filter import4;");
    assertThat(bgp.text()).contains("FilterV6").doesNotContain("FilterV4");
  }

  @Test
  void matchOperators() {
    world.filter(
        "f",
        """
        {'exportV4': [
          {'cidr': '10.1.0.0/16', 'matchOperator': 'Equal', 'action': 'Accept'},
          {'cidr': '10.2.0.0/16', 'matchOperator': 'NotEqual', 'action': 'Reject'},
          {'cidr': '10.3.0.0/16', 'matchOperator': 'In', 'action': 'Accept'},
          {'cidr': '10.4.0.0/16', 'matchOperator': 'NotIn', 'action': 'Reject'},
          {'cidr': '10.5.0.0/16', 'matchOperator': 'In', 'action': 'Accept',
           'prefixLength': {'min': 8, 'max': 24}},
          {'cidr': '10.6.0.0/16', 'matchOperator': 'NotIn', 'action': 'Accept',
           'prefixLength': {'min': 26}},
          {'cidr': '10.7.0.0/16', 'matchOperator': 'Equal', 'action': 'Accept',
           'prefixLength': {'max': 20}}],
         'importV6': [
          {'cidr': '5000::/64', 'matchOperator': 'In', 'action': 'Accept',
           'prefixLength': {'max': 128}}]}
        """);
    peers("['f']");
    DesiredBgp bgp = render();
    assertThat(function(bgp, "bgp_f_exportFilterV4"))
        .containsExactly(
            "if net = 10.1.0.0/16 then { accept; }",
            "if net != 10.2.0.0/16 then { reject; }",
            "if net ~ 10.3.0.0/16 then { accept; }",
            "if net !~ 10.4.0.0/16 then { reject; }",
            "if net ~ [ 10.5.0.0/16{16,24} ] then { accept; }",
            "if net !~ [ 10.6.0.0/16{26,32} ] then { accept; }",
            "if net ~ [ 10.7.0.0/16{16,20} ] then { accept; }");
    assertThat(function(bgp, "bgp_f_importFilterV6"))
        .containsExactly("if net ~ [ 5000::/64{64,128} ] then { accept; }");
  }

  @Test
  void matchSource() {
    world.filter(
        "f",
        """
        {'exportV4': [{'source': 'RemotePeers', 'action': 'Reject'},
          {'cidr': '10.1.0.0/16', 'matchOperator': 'In', 'source': 'RemotePeers',
           'action': 'Accept'}]}
        """);
    peers("['f']");
    assertThat(function(render(), "bgp_f_exportFilterV4"))
        .containsExactly(
            "if source = RTS_BGP then { reject; }",
            "if net ~ 10.1.0.0/16 && source = RTS_BGP then { accept; }");
  }

  @Test
  void matchInterface() {
    world.filter(
        "f",
        """
        {'exportV4': [{'interface': '*.extensions', 'action': 'Reject'}],
         'importV6': [{'interface': 'eth0', 'action': 'Accept'}]}
        """);
    peers("['f']");
    assertThat(function(render(), "bgp_f_exportFilterV4"))
        .containsExactly("if defined(ifname) && ifname ~ \"*.extensions\" then { reject; }");
  }

  @Test
  void peerType() {
    world.filter(
        "f",
        """
        {'exportV4': [{'peerType': 'eBGP', 'action': 'Reject'},
          {'peerType': 'iBGP', 'action': 'Accept'}]}
        """);
    peers("['f']");
    world.peer("int", "{'peerIP': '10.225.0.5', 'asNumber': 64512, 'filters': ['f']}");
    DesiredBgp bgp = render();
    assertThat(function(bgp, "bgp_f_exportFilterV4"))
        .containsExactly("if !same_as then { reject; }", "if same_as then { accept; }");
    assertThat(BgpWorld.session(bgp, SESSION))
        .anyMatch(line -> line.contains("'bgp_f_exportFilterV4'(false);"));
    assertThat(BgpWorld.session(bgp, "Global_10_225_0_5"))
        .anyMatch(line -> line.contains("'bgp_f_exportFilterV4'(true); export_routes4(true);"));
  }

  @Test
  void asPathAndPriority() {
    world.filter(
        "f",
        """
        {'importV4': [{'asPathPrefix': [65001, 65002], 'action': 'Accept'},
          {'asPathPrefix': [65003], 'priority': 512, 'action': 'Reject'}]}
        """);
    peers("['f']");
    assertThat(function(render(), "bgp_f_importFilterV4"))
        .containsExactly(
            "if bgp_path ~ [= 65001 65002 * =] then { accept; }",
            "if bgp_path ~ [= 65003 * =] && bgp_local_pref = 2147483135 then { reject; }");
  }

  @Test
  void communitiesAndOperations() {
    world.filter(
        "f",
        """
        {'exportV4': [{'communities': {'values': ['65001:100']}, 'action': 'Accept',
          'operations': [{'addCommunity': {'value': '65001:200'}},
            {'prependASPath': {'prefix': [65001, 65002]}},
            {'setPriority': {'value': 512}}]}],
         'importV4': [{'action': 'Accept', 'operations': [{'setPriority': {'value': 512}}]}],
         'importV6': [{'action': 'Accept', 'operations': [{'setPriority': {'value': 2048}}]}]}
        """);
    peers("['f']");
    DesiredBgp bgp = render();
    assertThat(function(bgp, "bgp_f_exportFilterV4"))
        .containsExactly(
            "if (65001, 100) ~ bgp_community then { bgp_community.add((65001, 200));"
                + " bgp_path.prepend(65002); bgp_path.prepend(65001);"
                + " bgp_local_pref = 2147483135; accept; }");
    assertThat(function(bgp, "bgp_f_importFilterV4"))
        .containsExactly("bgp_local_pref = 2147483135; preference = 200; accept;");
    assertThat(function(bgp, "bgp_f_importFilterV6"))
        .containsExactly("bgp_local_pref = 2147481599; preference = 100; accept;");
  }

  @Test
  void largeCommunity() {
    world.filter(
        "f",
        """
        {'exportV4': [{'communities': {'values': ['65001:1:4294967295']}, 'action': 'Accept',
          'operations': [{'addCommunity': {'value': '65001:2:3'}}]}]}
        """);
    peers("['f']");
    assertThat(function(render(), "bgp_f_exportFilterV4"))
        .containsExactly(
            "if (65001, 1, 4294967295) ~ bgp_large_community then {"
                + " bgp_large_community.add((65001, 2, 3)); accept; }");
  }

  @Test
  void filterNames() {
    String longName = "this-is-a-very-long-filter-name-that-bird-does-not-accept-as-it-is";
    String fits = "a.name-with-exactly-forty-five-characters.abc";
    assertThat(fits).hasSize(45);
    world.filter(longName, "{'exportV4': [{'action': 'Accept'}]}");
    world.filter(fits, "{'exportV4': [{'action': 'Accept'}]}");
    peers("['%s', '%s']".formatted(longName, fits));
    DesiredBgp bgp = render();
    assertThat(bgp.text())
        .containsPattern("function 'bgp_this-is-a-very-long-filter-n_[0-9A-F]{16}_exportFilterV4'")
        .contains("'bgp_" + fits + "_exportFilterV4'");
  }

  @Test
  void filterDeletion() {
    world.filter("f", IN_AND_OUT);
    peers("['f']");
    render();
    world.delete(Kind.BGP_FILTER, "f");
    DesiredBgp bgp = render();
    assertThat(bgp.text()).doesNotContain("bgp_f_");
    assertThat(BgpWorld.session(bgp, SESSION)).contains("import filter import4;");
    assertThat(bgp.problems())
        .containsExactly(
            "BGPPeer v4 works without BGPFilter f, which does not exist: create it",
            "BGPPeer v6 works without BGPFilter f, which does not exist: create it");
  }

  @Test
  void nodeMesh() {
    world.filter("f", IN_AND_OUT);
    DesiredBgp bgp = render();
    assertThat(bgp.text()).as("a filter that no peer uses").doesNotContain("bgp_f_");
    assertThat(BgpWorld.session(bgp, "Mesh_10_192_0_3")).contains("import filter import4;");
    assertThat(bgp.text())
        .contains("krt_metric = 1024;", "bgp_local_pref > 2147482623 then preference = 200;");
  }

  @Test
  void nodeMeshPriorities() {
    world.config("{'ipv4NormalRoutePriority': 1000, 'ipv6NormalRoutePriority': 2000}");
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "function import_priority4"))
        .containsExactly(
            "if defined(bgp_local_pref) && bgp_local_pref > 2147482647 then preference = 200;");
    assertThat(BgpWorld.block(bgp, "function import_priority6"))
        .containsExactly(
            "if defined(bgp_local_pref) && bgp_local_pref > 2147481647 then preference = 200;");
    assertThat(BgpWorld.block(bgp, "filter from_kernel4"))
        .contains(
            "if defined(ifname) && (ifname ~ \"cali*\") && krt_metric > 0 && krt_metric < 1000"
                + " then preference = 150;");
    assertThat(bgp.problems())
        .hasSize(2)
        .first()
        .asString()
        .contains("ipv4NormalRoutePriority is 1000 in BGPConfiguration default and 1024");
  }

  @Test
  void kubevirtLiveMigration() {
    DesiredBgp bgp = render();
    assertThat(BgpWorld.block(bgp, "function export_priority4"))
        .containsExactly(
            "if source = RTS_BGP && defined(bgp_local_pref) then krt_metric = 2147483647 -"
                + " bgp_local_pref;",
            "else {",
            "if !defined(krt_metric) then krt_metric = 1024;",
            "if krt_metric = 0 then krt_metric = 1024;",
            "bgp_local_pref = 2147483647 - krt_metric;",
            "}");
    assertThat(BgpWorld.block(bgp, "filter to_kernel4"))
        .contains(
            "if defined(bgp_local_pref) && bgp_local_pref > 2147482623 && bgp_local_pref <"
                + " 2147483647 then krt_metric = 2147483647 - bgp_local_pref;");
  }
}
