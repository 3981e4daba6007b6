package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.Test;

@Hosts
class FormerRulesTest {
  @Test
  void chainsOfAnEarlierFlanneldAreNamed(Host host) {
    try (NetNs namespace = NetNs.open(host.path())) {
      assertThat(FormerRules.find(namespace)).isEmpty();
      host.exec("nft", "add table ip nat; add chain ip nat FLANNEL-POSTRTG");
      host.exec("nft", "add table ip6 filter; add chain ip6 filter FLANNEL-FWD");

      assertThat(FormerRules.find(namespace).orElseThrow())
          .contains("FLANNEL-POSTRTG of ip nat", "FLANNEL-FWD of ip6 filter")
          .contains("iptables -t nat -D POSTROUTING -j FLANNEL-POSTRTG")
          .contains("ip6tables -t filter -D FORWARD -j FLANNEL-FWD");
    }
  }
}
