package io.ocicat.plugins.firewall;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A failed ADD, at whichever step, leaves nothing. The kernel rejects a jump that leads back to its
 * own chain, so a rule in the administrator's chain makes a step fail.
 */
@Hosts
class FirewallFailureTest {
  private static final int CONSECUTIVE = 5;

  private static final Firewalled DUAL =
      Firewalled.of("10.0.0.2/24", "fd00::2/64")
          .behind("br0", "veth0")
          .with("\"ingressPolicy\":\"isolated\"");

  @BeforeEach
  void bridge(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    host.exec(
        "ip",
        "link",
        "add",
        "veth0",
        "master",
        "br0",
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        pod.name());
  }

  @ParameterizedTest
  @ValueSource(strings = {"iptables", "ip6tables", "iptables-legacy", "ip6tables-legacy"})
  void aFailedAddLeavesNothing(String iptables, Host host, Host pod) {
    host.exec(iptables, "-N", "CNI-FORWARD");
    host.exec(iptables, "-N", "CNI-ADMIN");
    host.exec(iptables, "-A", "CNI-ADMIN", "-j", "CNI-FORWARD");
    Attaching eth0 = DUAL.attach(host, pod);

    for (int i = 0; i < CONSECUTIVE; i++) {
      assertThat(eth0.add().error().msg()).isNotEmpty();
    }

    assertThat(everything(host)).doesNotContain("10.0.0.2", "fd00::2");
    eth0.del().ok();
    eth0.withConfig(DUAL.configWithoutPrevious()).del().ok();
    host.exec(iptables, "-F", "CNI-ADMIN");
    eth0.add().ok();
    eth0.check().ok();
    eth0.del().ok();
    assertThat(everything(host)).doesNotContain("10.0.0.2", "fd00::2");
  }

  @Test
  void theErrorNamesTheRuleAndWhatTheKernelSays(Host host, Host pod) {
    host.exec("iptables", "-N", "CNI-FORWARD");
    host.exec("iptables", "-N", "CNI-ADMIN");
    host.exec("iptables", "-A", "CNI-ADMIN", "-j", "CNI-FORWARD");

    assertThat(DUAL.attach(host, pod).add().error().msg())
        .startsWith(
            "insert rule ip filter CNI-FORWARD -m comment --comment \"CNI firewall plugin admin"
                + " overrides\" -j CNI-ADMIN: ")
        .containsAnyOf("(ELOOP)", "(EMLINK)");
  }

  @Test
  void aPortThatCannotBeIsolatedIsLeftToTheRules(Host host, Host pod) {
    host.exec("ip", "link", "set", "veth0", "nomaster");

    DUAL.attach(host, pod).add().ok();
    DUAL.attach(host, pod).check().ok();
  }

  private static String everything(Host host) {
    return host.exec("nft", "list", "ruleset").stdout()
        + host.exec("iptables-legacy-save").stdout()
        + host.exec("ip6tables-legacy-save").stdout();
  }
}
