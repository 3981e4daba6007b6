package io.ocicat.plugins.masquerade;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.net.Net;
import io.ocicat.plugins.net.Owner;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who has which address, in what words, and that packets obey. */
@Hosts
class MasqueradeTest {
  private Net net;

  @BeforeEach
  void open(Host host) {
    net = Net.of(host.path());
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void nftShowsItReadably(Host host) {
    Masquerade.install(net, owner("ctr1"), addresses("10.1.2.5/24", "fd00::5/64"));

    assertThat(host.exec("nft", "-s", "list", "ruleset").stdout())
        .contains("10.1.2.5 comment \"mynet/ctr1/eth0\"", "fd00::5 . fd00:: comment");
  }

  private static Owner owner(String id) {
    return new Owner(new NetworkName("mynet"), new ContainerId(id), new InterfaceName("eth0"));
  }

  private static List<IpPrefix> addresses(String... texts) {
    return Arrays.stream(texts).map(IpPrefix::parse).toList();
  }
}
