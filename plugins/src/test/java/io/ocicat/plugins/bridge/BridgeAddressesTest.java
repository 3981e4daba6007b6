package io.ocicat.plugins.bridge;

import static io.ocicat.plugins.bridge.BridgePluginTest.addresses;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bridge that already has addresses when it is to become a gateway. */
@Hosts
class BridgeAddressesTest {
  @TempDir Path leases;

  @BeforeEach
  void makeBridge(Host host) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
  }

  @Test
  void anotherIpv4AddressIsRefusedUnlessForced(Host host, Host pod) {
    host.exec("ip", "address", "add", "10.9.9.1/16", "dev", "br0");
    BridgeNetwork network = gateway(host).addresses(leases, "10.1.2.0/24");

    CniException error = network.attach(pod).add().error();

    assertThat(error.msg())
        .isEqualTo("\"br0\" already has an IP address different from 10.1.2.1/24");
    assertThat(error.details()).contains("it has 10.9.9.1/16", "forceAddress");
    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);

    network.with("forceAddress", true).attach(pod).add().ok();
    assertThat(addresses(host, "br0")).contains("10.1.2.1/24").doesNotContain("10.9.9.1/16");
  }

  @Test
  void theSameAddressWithAnotherLengthIsAnother(Host host, Host pod) {
    host.exec("ip", "address", "add", "10.1.2.1/16", "dev", "br0");
    host.exec("ip", "address", "add", "2001:db8:1::1/48", "dev", "br0");
    BridgeNetwork v4 = gateway(host).addresses(leases, "10.1.2.0/24");
    BridgeNetwork v6 = gateway(host).addresses(leases, "2001:db8:1::/64");

    assertThat(v4.attach(pod).add().error().msg()).contains("different from 10.1.2.1/24");
    assertThat(v6.attach(pod).add().error().msg()).contains("different from 2001:db8:1::1/64");

    Attaching forced = v6.with("forceAddress", true).attach(pod);
    forced.add().ok();
    forced.del().ok();
    assertThat(addresses(host, "br0"))
        .contains("10.1.2.1/16", "2001:db8:1::1/64")
        .doesNotContain("2001:db8:1::1/48");
  }

  @Test
  void anIpv6NetworkThatOverlapsIsRefusedUnlessForced(Host host, Host pod) {
    host.exec("ip", "address", "add", "2001:db8:1::9/48", "dev", "br0");
    BridgeNetwork network = gateway(host).addresses(leases, "2001:db8:1::/64");

    assertThat(network.attach(pod).add().error().msg())
        .contains("already has an IP address different from 2001:db8:1::1/64");

    network.with("forceAddress", true).attach(pod).add().ok();
    assertThat(addresses(host, "br0"))
        .contains("2001:db8:1::1/64")
        .doesNotContain("2001:db8:1::9/48");
  }

  @Test
  void ipv6NetworksLiveSideBySide(Host host, Host pod) {
    host.exec("ip", "address", "add", "2001:db8:2::9/64", "dev", "br0");

    gateway(host).addresses(leases, "2001:db8:1::/64").attach(pod).add().ok();

    assertThat(addresses(host, "br0")).contains("2001:db8:1::1/64", "2001:db8:2::9/64");
  }

  /** The Go plugin treats the first address as an obstacle to the second. */
  @Test
  void twoIpv4SubnetsHaveTwoGateways(Host host, Host pod) {
    Attaching eth0 = gateway(host).addresses(leases, "10.1.2.0/24", "10.1.3.0/24").attach(pod);

    eth0.add().ok();

    assertThat(addresses(host, "br0")).contains("10.1.2.1/24", "10.1.3.1/24");
    pod.exec("ping", "-c1", "-W2", "10.1.3.1");
  }

  /** With the first address of a subnet Linux removes the others. */
  @Test
  void forcingKeepsTheWantedAddressBehindTheOther(Host host, Host pod) {
    host.exec("ip", "address", "add", "10.1.2.77/24", "dev", "br0");
    host.exec("ip", "address", "add", "10.1.2.1/24", "dev", "br0");
    host.exec("ip", "address", "add", "10.1.3.9/24", "dev", "br0");
    BridgeNetwork network =
        gateway(host).with("forceAddress", true).addresses(leases, "10.1.2.0/24", "10.1.3.0/24");

    network.attach(pod).add().ok();

    assertThat(addresses(host, "br0"))
        .contains("10.1.2.1/24", "10.1.3.1/24")
        .doesNotContain("10.1.2.77/24", "10.1.3.9/24");
  }

  @Test
  void aBridgeThatHasTheAddressMayHaveOthersToo(Host host, Host pod) {
    host.exec("ip", "address", "add", "10.9.9.1/16", "dev", "br0");
    host.exec("ip", "address", "add", "10.1.2.1/24", "dev", "br0");

    gateway(host).addresses(leases, "10.1.2.0/24").attach(pod).add().ok();

    assertThat(addresses(host, "br0")).contains("10.1.2.1/24", "10.9.9.1/16");
  }

  private static BridgeNetwork gateway(Host host) {
    return BridgeNetwork.on(host).version("1.0.0").with("isGateway", true);
  }
}
