package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The option {@code enabledad}. */
@Hosts
class DuplicateDetectionTest {
  @TempDir Path leases;
  @TempDir Path scripts;

  @Test
  void addReturnsWhenNobodyObjected(Host host, Host pod) {
    attachment(host, pod).add().ok();

    assertThat(pod.exec("ip", "-6", "address").stdout())
        .contains("2001:db8:1::9/64")
        .doesNotContain("tentative", "dadfailed");
    assertThat(pod.exec("cat", "/proc/sys/net/ipv6/conf/eth0/accept_dad").stdout())
        .isEqualTo("1\n");
  }

  @Test
  void anAddressThatSomebodyHasIsRefused(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    host.exec("ip", "link", "set", "br0", "up");
    host.exec("ip", "address", "add", "2001:db8:1::9/64", "dev", "br0", "nodad");

    assertThat(attachment(host, pod).add().error().msg())
        .isEqualTo("address 2001:db8:1::9/64 of \"eth0\" is a duplicate");

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  private Attaching attachment(Host host, Host pod) {
    ScriptedIpam ipam =
        ScriptedIpam.in(scripts)
            .answering("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"2001:db8:1::9/64\"}]}");
    return ipam.found(ipam.of(BridgeNetwork.on(host)).with("enabledad", true).attach(pod));
  }
}
