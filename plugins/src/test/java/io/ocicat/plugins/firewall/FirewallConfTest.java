package io.ocicat.plugins.firewall;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Ran;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input is rejected by name, before anything is created; DEL works all the same. */
@Hosts
class FirewallConfTest {
  private static final Firewalled ONE = Firewalled.of("10.0.0.2/24");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"backend\":7 | backend must be a string",
        "\"backend\":\"firewalld\" | backend \"firewalld\" is not supported: use \"iptables\"",
        "\"firewalldZone\":[] | firewalldZone must be a string",
        "\"iptablesAdminChainName\":{} | iptablesAdminChainName must be a string",
        "\"iptablesAdminChainName\":\"-j\" | iptablesAdminChainName must be the name of a chain",
        "\"iptablesAdminChainName\":\"a b\" | iptablesAdminChainName must be the name of a chain",
        "\"iptablesAdminChainName\":\"a\\n-F\" | iptablesAdminChainName must be the name",
        "\"iptablesAdminChainName\":\"CNI-29-letters-are-one-too-ma\" | must be the name of a chain",
        "\"iptablesAdminChainName\":\"DROP\" | iptablesAdminChainName must not be",
        "\"iptablesAdminChainName\":\"CNI-FORWARD\" | iptablesAdminChainName must not be",
        "\"ingressPolicy\":true | ingressPolicy must be a string",
        "\"ingressPolicy\":\"closed\" | ingressPolicy must be one of \"open\", \"same-bridge\", \"isolated\", not \"closed\"",
      })
  void badFieldsAreNamed(String member, String message, Host host, Host pod) {
    Attaching eth0 = ONE.with(member).attach(host, pod);

    CniException error = eth0.add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).contains(message);
    assertThat(eth0.check().error().code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    eth0.del().ok();
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void allBadFieldsAreToldAtOnce(Host host, Host pod) {
    CniException error =
        ONE.with("\"backend\":1,\"ingressPolicy\":\"x\"").attach(host, pod).add().error();

    assertThat(error.details()).contains("backend", "ingressPolicy");
  }

  @Test
  void anEmptyTextIsTheDefault(Host host, Host pod) {
    ONE.with("\"backend\":\"\",\"iptablesAdminChainName\":\"\",\"ingressPolicy\":\"\"")
        .attach(host, pod)
        .add()
        .ok();

    assertThat(FirewallPluginTest.rules(host, "iptables")).contains("-N CNI-ADMIN");
  }

  @Test
  void aBackEndThatNobodyKnowsIsToldAndTakenForIptables(Host host, Host pod) {
    Ran ran = ONE.with("\"backend\":\"nftables\"").attach(host, pod).add();

    ran.ok();
    assertThat(ran.stderr()).contains("backend \"nftables\" is unknown: taking \"iptables\"");
  }

  @Test
  void thereMustBeAPluginBefore(Host host, Host pod) {
    Attaching eth0 = ONE.attach(host, pod).withConfig(ONE.configWithoutPrevious());

    assertThat(eth0.add().error().msg()).isEqualTo("missing prevResult from earlier plugin");
    assertThat(eth0.check().error().msg()).isEqualTo("missing prevResult from earlier plugin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"same-bridge", "isolated"})
  void policiesNeedABridge(String policy, Host host, Host pod) {
    Firewalled apart = ONE.with("\"ingressPolicy\":\"%s\"".formatted(policy));

    assertThat(apart.attach(host, pod).add().error().msg())
        .isEqualTo(
            "interface needs to be set for ingress policy \"%s\", make sure to chain"
                    .formatted(policy)
                + " \"firewall\" plugin with \"bridge\"");
    for (String name : new String[] {"", "a b", "much-too-long-for-a-link", "br+", "a/b"}) {
      assertThat(apart.behind(name).attach(host, pod).add().error().msg())
          .startsWith(
              "prevResult.interfaces[0].name \"%s\" cannot name a bridge: ".formatted(name));
    }
    assertThat(host.exec("nft", "list", "ruleset").stdout()).isEmpty();
  }

  @Test
  void aResultWithoutAddressesNeedsNoRules(Host host, Host pod) {
    Attaching eth0 = Firewalled.of().attach(host, pod);

    eth0.add().ok();
    eth0.check().ok();
    eth0.del().ok();
  }
}
