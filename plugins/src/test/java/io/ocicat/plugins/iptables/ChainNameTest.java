package io.ocicat.plugins.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.NetworkName;
import io.ocicat.plugins.net.NamingHash;
import org.junit.jupiter.api.Test;

/** Names are equal to those that the Go plugins compute. */
class ChainNameTest {
  @Test
  void chainsAreNamedAfterNetworkAndContainer() {
    assertThat(name("CNI-", "test", "1234")).isEqualTo("CNI-2bbe0c48b91a7d1b8a6753a8");
    assertThat(name("CNI-", "mynet", "ctr1")).isEqualTo("CNI-5145007e2a8415ce07579739");
    assertThat(name("CNI-DN-", "mynet", "ctr1")).isEqualTo("CNI-DN-5145007e2a8415ce07579");
  }

  @Test
  void otherNamesComeFromTheSameHash() {
    assertThat(NamingHash.name("bwp", "mynetctr1", 15)).isEqualTo("bwp5145007e2a84");
    assertThat(NamingHash.of("unit-test", 16)).isEqualTo("6fd94d501e58f0aa");
    assertThat(NamingHash.of("eth0:one", 16)).isEqualTo("287fc69eff0574a2");
  }

  private static String name(String prefix, String network, String container) {
    return ChainName.of(prefix, new NetworkName(network), new ContainerId(container));
  }
}
