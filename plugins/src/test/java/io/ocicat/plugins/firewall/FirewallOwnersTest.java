package io.ocicat.plugins.firewall;

import static io.ocicat.plugins.Side.GO;
import static io.ocicat.plugins.firewall.FirewallPluginTest.rules;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules are removed only for their owners. */
@Hosts
class FirewallOwnersTest {
  private static final Firewalled DUAL = Firewalled.of("10.0.0.2/24", "fd00::2/64");

  @Test
  void delNeedsNoPreviousResult(Host host, Host pod, Host other) {
    Attaching eth0 = DUAL.attach(host, pod);
    Firewalled.of("10.0.0.3/24").attach(host, other).add().ok();
    eth0.add().ok();

    eth0.withConfig(DUAL.configWithoutPrevious()).withNetns("").del().ok();

    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2").contains("10.0.0.3");
    assertThat(rules(host, "ip6tables").toString()).doesNotContain("fd00::2");
  }

  @Test
  void anUnreadablePreviousResultDoesNotMatter(Host host, Host pod) {
    Attaching eth0 = DUAL.attach(host, pod);
    eth0.add().ok();

    eth0.withConfig(DUAL.config().replace("10.0.0.2/24", "10.0.0.2/240")).del().ok();

    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLateDelSparesTheNextOwnerOfTheAddress(boolean previous, Host host, Host pod, Host next) {
    Attaching late = DUAL.attach(host, pod);
    Attaching newer = DUAL.attach(host, next);
    late.add().ok();
    newer.add().ok();
    List<String> before = rules(host, "iptables");

    late.withConfig(previous ? DUAL.config() : DUAL.configWithoutPrevious()).del().ok();

    assertThat(rules(host, "iptables"))
        .isEqualTo(before)
        .anyMatch(rule -> rule.contains("10.0.0.2"));
    newer.check().ok();
    assertThat(late.check().error().msg())
        .isEqualTo("address 10.0.0.2 belongs to mynet/%s/eth0 by now".formatted(next.name()));
    newer.del().ok();
    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2");
  }

  @Test
  void anotherInterfaceOrNetworkOfTheContainerIsAnotherOwner(Host host, Host pod) {
    Attaching eth0 = DUAL.attach(host, pod);
    Attaching eth1 = Firewalled.of("10.0.0.3/24").attach(host, pod).with("CNI_IFNAME", "eth1");
    Attaching blue = Firewalled.of("10.0.0.4/24").onNetwork("blue").attach(host, pod);
    eth0.add().ok();
    eth1.add().ok();
    blue.add().ok();

    eth0.withConfig(DUAL.configWithoutPrevious()).del().ok();

    assertThat(rules(host, "iptables").toString())
        .doesNotContain("10.0.0.2")
        .contains("10.0.0.3", "10.0.0.4");
  }

  /** A note is removed with its rule, so it cannot name an owner whom the Go plugin has removed. */
  @Test
  void whatTheOriginalRemovesLeavesNoNoteBehind(Host host, Host pod, Host next) {
    DUAL.attach(host, pod).add().ok();
    DUAL.attach(host, pod).by(GO).del().ok();
    DUAL.attach(host, next).by(GO).add().ok();

    DUAL.attach(host, next).del().ok();

    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2");
  }

  @Test
  void notesAreShownToNobody(Host host, Host pod) {
    DUAL.attach(host, pod).add().ok();

    assertThat(host.exec("nft", "list", "ruleset").stdout()).doesNotContain("mynet", pod.name());
    assertThat(host.exec("iptables-save").stdout()).doesNotContain("mynet", pod.name());
    assertThat(host.exec("iptables", "-nvL").stdout()).doesNotContain("mynet").contains("10.0.0.2");
  }

  @Test
  void longNamesAreNotedToo(Host host, Host pod) {
    Firewalled longNetwork = DUAL.onNetwork("n".repeat(200));
    Attaching eth0 =
        longNetwork
            .attach(host, pod)
            .with("CNI_CONTAINERID", "c".repeat(200))
            .with("CNI_IFNAME", "fifteen-letters");
    eth0.add().ok();

    eth0.withConfig(longNetwork.configWithoutPrevious()).del().ok();

    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2");
  }

  @Test
  void gcRemovesWhatNoValidAttachmentOfTheNetworkHas(Host host, Host pod, Host gone, Host other) {
    Firewalled one = Firewalled.of("10.0.0.2/24", "fd00::2/64").inVersion("1.1.0");
    Firewalled two = Firewalled.of("10.0.0.3/24", "fd00::3/64").inVersion("1.1.0");
    Firewalled three = Firewalled.of("10.0.0.4/24").inVersion("1.1.0").onNetwork("blue");
    Firewalled four = Firewalled.of("10.0.0.5/24");
    one.attach(host, pod).add().ok();
    two.attach(host, gone).add().ok();
    three.attach(host, other).add().ok();
    four.attach(host, other).by(GO).add().ok();

    one.attach(host, pod).withConfig(valid("")).gc().ok();
    assertThat(rules(host, "iptables").toString()).as("nothing said").contains("10.0.0.3");

    one.attach(host, pod)
        .withConfig(
            valid(
                ",\"cni.dev/valid-attachments\":[{\"containerID\":\"%s\",\"ifname\":\"eth0\"}]"
                    .formatted(pod.name())))
        .gc()
        .ok();
    assertThat(rules(host, "iptables").toString())
        .doesNotContain("10.0.0.3")
        .contains("10.0.0.2", "10.0.0.4", "10.0.0.5");
    assertThat(rules(host, "ip6tables").toString()).doesNotContain("fd00::3").contains("fd00::2");

    one.attach(host, pod).withConfig(valid(",\"cni.dev/valid-attachments\":[]")).gc().ok();
    assertThat(rules(host, "iptables").toString())
        .doesNotContain("10.0.0.2")
        .contains("10.0.0.4", "10.0.0.5");
  }

  @Test
  void gcRemovesTheIsolationOfBridgesThatAreGone(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    for (String bridge : List.of("br0", "br1")) {
      Firewalled.of("10.0.0.2/24", "fd00::2/64")
          .behind(bridge)
          .with("\"ingressPolicy\":\"isolated\"")
          .attach(host, pod)
          .add()
          .ok();
    }
    host.exec("iptables", "-I", "CNI-ISOLATION-STAGE-2", "-o", "br7", "-j", "DROP");

    DUAL.attach(host, pod).withConfig(valid(",\"cni.dev/valid-attachments\":[]")).gc().ok();

    for (String iptables : List.of("iptables", "ip6tables")) {
      assertThat(rules(host, iptables).toString())
          .doesNotContain("br1")
          .contains("-i br0 -o br0", "-i br0 ! -o br0", "STAGE-2 -o br0");
    }
    assertThat(rules(host, "iptables").toString()).as("not of the plugins").contains("br7");
  }

  private static String valid(String members) {
    return "{\"cniVersion\":\"1.1.0\",\"name\":\"mynet\",\"type\":\"firewall\"%s}"
        .formatted(members);
  }
}
