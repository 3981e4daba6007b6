package io.ocicat.plugins.firewall;

import static io.ocicat.plugins.Side.GO;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class FirewallPluginTest {
  private static final Firewalled DUAL = Firewalled.of("10.0.0.2/24", "fd00::2/64");

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0", "1.1.0"})
  void theResultBeforeItIsPassedOn(String version, Host host, Host pod) {
    Firewalled dual = DUAL.inVersion(version).behind("br0");

    JsonNode result = dual.attach(host, pod).add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    JsonNode before = CniJson.parse(dual.previous());
    assertThat(result.path("interfaces")).isEqualTo(before.path("interfaces"));
    assertThat(result.path("ips")).isEqualTo(before.path("ips"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.3.1"})
  void versionsWithoutCheckAreRefused(String version, Host host, Host pod) {
    assertThat(DUAL.inVersion(version).attach(host, pod).add().error().code())
        .isEqualTo(ErrorCode.INCOMPATIBLE_VERSION);
  }

  @Test
  void eachAddressGetsItsTwoRules(Host host, Host pod) {
    Attaching eth0 = DUAL.attach(host, pod);

    eth0.add().ok();
    eth0.check().ok();

    assertThat(rules(host, "iptables"))
        .containsExactly(
            "-P INPUT ACCEPT",
            "-P FORWARD ACCEPT",
            "-P OUTPUT ACCEPT",
            "-N CNI-ADMIN",
            "-N CNI-FORWARD",
            "-A FORWARD -m comment --comment \"CNI firewall plugin rules\" -j CNI-FORWARD",
            "-A CNI-FORWARD -m comment --comment \"CNI firewall plugin admin overrides\" -j"
                + " CNI-ADMIN",
            "-A CNI-FORWARD -d 10.0.0.2/32 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
            "-A CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT");
    assertThat(rules(host, "ip6tables"))
        .contains(
            "-A CNI-FORWARD -d fd00::2/128 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
            "-A CNI-FORWARD -s fd00::2/128 -j ACCEPT");
  }

  @Test
  void aFamilyWithoutAddressesIsLeftAlone(Host host, Host pod) {
    Firewalled.of("10.0.0.2/24").attach(host, pod).add().ok();

    assertThat(host.exec("nft", "list", "tables").stdout()).doesNotContain("ip6 filter");
  }

  @Test
  void delRemovesTheRulesAndLeavesTheChains(Host host, Host pod, Host other) {
    Firewalled.of("10.0.0.3/24").attach(host, other).add().ok();
    List<String> before = rules(host, "iptables");
    Attaching eth0 = DUAL.attach(host, pod);
    eth0.add().ok();
    List<String> between = rules(host, "ip6tables");
    eth0.del().ok();
    eth0.del().ok();

    assertThat(rules(host, "iptables")).isEqualTo(before);
    assertThat(rules(host, "ip6tables"))
        .containsExactlyElementsOf(
            between.stream().filter(rule -> !rule.contains("fd00::2")).toList());
  }

  @Test
  void theAdministratorsChainMayHaveAnotherName(Host host, Host pod) {
    Attaching eth0 = DUAL.with("\"iptablesAdminChainName\":\"CNI-foobar\"").attach(host, pod);

    eth0.add().ok();
    eth0.check().ok();
    eth0.by(GO).check().ok();

    assertThat(rules(host, "iptables"))
        .contains(
            "-N CNI-foobar",
            "-A CNI-FORWARD -m comment --comment \"CNI firewall plugin admin overrides\" -j"
                + " CNI-foobar")
        .doesNotContain("-N CNI-ADMIN");
    eth0.del().ok();
    assertThat(rules(host, "iptables")).contains("-N CNI-foobar");
  }

  @Test
  void aSecondAddOfTheSameChangesNothing(Host host, Host pod) {
    Attaching eth0 = DUAL.behind("br0").with("\"ingressPolicy\":\"isolated\"").attach(host, pod);
    eth0.add().ok();
    String before = host.exec("nft", "list", "ruleset").stdout();

    eth0.add().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEqualTo(before);
  }

  @Test
  void addressesThatAnAttachmentNoLongerHasLoseTheirRules(Host host, Host pod) {
    DUAL.attach(host, pod).add().ok();
    Firewalled.of("10.0.0.7/24").attach(host, pod).add().ok();

    assertThat(rules(host, "iptables").toString()).contains("10.0.0.7").doesNotContain("10.0.0.2");
    assertThat(rules(host, "ip6tables").toString()).doesNotContain("fd00::2");
  }

  @Test
  void rulesOfOthersKeepTheirPlaces(Host host, Host pod) {
    host.exec("iptables", "-P", "FORWARD", "DROP");
    host.exec("iptables", "-A", "FORWARD", "-p", "tcp", "--dport", "80", "-j", "ACCEPT");
    host.exec("iptables", "-N", "CNI-ADMIN");
    host.exec("iptables", "-A", "CNI-ADMIN", "-d", "10.9.0.0/16", "-j", "REJECT");

    DUAL.attach(host, pod).add().ok();

    assertThat(rules(host, "iptables"))
        .contains(
            "-P FORWARD DROP",
            "-A CNI-ADMIN -d 10.9.0.0/16 -j REJECT --reject-with icmp-port-unreachable")
        .containsSubsequence(
            "-A FORWARD -m comment --comment \"CNI firewall plugin rules\" -j CNI-FORWARD",
            "-A FORWARD -p tcp -m tcp --dport 80 -j ACCEPT");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "-D CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT; -A CNI-FORWARD -s 10.0.0.2/32 -j ACCEPT",
        "-D CNI-FORWARD 2; -A CNI-FORWARD -d 10.0.0.2/32 -m conntrack",
        "-D CNI-FORWARD 1; -A CNI-FORWARD -m comment",
        "-D FORWARD -j CNI-FORWARD -m comment --comment 'CNI firewall plugin rules'; -A FORWARD",
        "-D FORWARD 1; -A FORWARD",
        "-D CNI-ISOLATION-STAGE-1 1; -A CNI-ISOLATION-STAGE-1 -i br0 -o br0",
        "-D CNI-ISOLATION-STAGE-1 2; -A CNI-ISOLATION-STAGE-1 -i br0 ! -o br0",
        "-D CNI-ISOLATION-STAGE-2 1; -A CNI-ISOLATION-STAGE-2 -o br0",
        "-F; -A FORWARD",
      })
  void checkNamesWhatIsMissingAndMakesNothing(String command, String named, Host host, Host pod) {
    Attaching eth0 =
        Firewalled.of("10.0.0.2/24")
            .behind("br0")
            .with("\"ingressPolicy\":\"isolated\"")
            .attach(host, pod);
    eth0.add().ok();
    eth0.check().ok();
    host.exec("sh", "-c", "iptables " + command);
    String before = host.exec("nft", "list", "ruleset").stdout();

    assertThat(eth0.check().error().msg())
        .startsWith("expected rule not found: iptables ")
        .contains(named);
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEqualTo(before);

    eth0.add().ok();
    eth0.check().ok();
  }

  @Test
  void checkOfAnEmptyHostMakesNothing(Host host, Host pod) {
    assertThat(DUAL.attach(host, pod).check().error().msg()).contains("CNI-FORWARD");
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void delOfWhatWasNeverThereMakesNothing(Host host, Host pod) {
    Attaching eth0 = DUAL.attach(host, pod);
    eth0.del().ok();
    eth0.withConfig(DUAL.configWithoutPrevious()).del().ok();
    eth0.withNetns("").del().ok();
    eth0.withNetns("/run/netns/never").del().ok();
    eth0.withNetns("/etc/hostname").del().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void statusAnswers(Host host, Host pod) {
    DUAL.inVersion("1.1.0").attach(host, pod).status().ok();
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  static List<String> rules(Host host, String iptables) {
    return host.exec(iptables, "-S").stdout().lines().toList();
  }
}
