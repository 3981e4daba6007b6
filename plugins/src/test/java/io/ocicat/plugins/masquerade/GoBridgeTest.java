package io.ocicat.plugins.masquerade;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Go's bridge created with iptables is removed completely, even where Go itself fails. */
@Hosts
class GoBridgeTest {
  @TempDir Path leases;

  /** Two ranges of one family share a chain; Go cannot remove it at its first attempt. */
  @Test
  void twoRangesLeaveNoChain(Host host, Host pod, Host other) {
    attaching(host, pod).add().ok();
    attaching(host, other).add().ok();
    assertThat(rules(host, "iptables")).contains(pod.name(), other.name());

    try (NetnsSockets net = NetnsSockets.of(host.path())) {
      Masquerade.remove(net, owner(pod));
      assertThat(rules(host, "iptables")).contains(other.name()).doesNotContain(pod.name());
      assertThat(rules(host, "ip6tables")).contains(other.name()).doesNotContain(pod.name());
      Masquerade.remove(net, owner(other));
    }

    assertThat(rules(host, "iptables")).doesNotContain("CNI-");
    assertThat(rules(host, "ip6tables")).doesNotContain("CNI-");
  }

  private Attaching attaching(Host host, Host pod) {
    return Attaching.of(
            "bridge",
            host,
            pod,
            """
            {"cniVersion": "1.0.0", "name": "mynet", "type": "bridge", "ipMasq": true,
             "isGateway": true, "forceAddress": true,
             "ipam": {"type": "host-local", "dataDir": "%s",
                      "ranges": [[{"subnet": "10.1.2.0/24"}], [{"subnet": "10.1.3.0/24"}],
                                 [{"subnet": "fd00::/64"}]]}}
            """
                .formatted(leases))
        .by(Side.GO);
  }

  private static AttachmentOwner owner(Host pod) {
    return new AttachmentOwner(
        new NetworkName("mynet"), new ContainerId(pod.name()), new InterfaceName("eth0"));
  }

  private static String rules(Host host, String tool) {
    return host.exec(tool, "-t", "nat", "-S").stdout();
  }
}
