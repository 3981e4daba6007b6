package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** DEL when little is left of the container. */
@Hosts
class BridgeRemovalTest {
  @TempDir Path leases;

  /** The namespace lives on under another name: the veth pair must be removed all the same. */
  @ParameterizedTest
  @ValueSource(strings = {"", "/run/netns/never", "/etc/hostname"})
  void theNamespaceNeedNotBeThere(String netns, Host host, Host pod) {
    for (boolean remembered : new boolean[] {true, false}) {
      BridgeNetwork network = network(host);
      JsonNode result = network.attach(pod).add().ok();

      (remembered ? network.after(result) : network).attach(pod).withNetns(netns).del().ok();

      assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLinkNeedNotBeThere(Side side, Host host, Host pod) {
    Attaching eth0 = network(host).attach(pod);
    eth0.by(side).add().ok();
    pod.exec("ip", "link", "delete", "eth0");

    eth0.del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  @Test
  void aLinkThatWasRenamedIsFoundFromTheHost(Host host, Host pod) {
    BridgeNetwork network = network(host);
    JsonNode result = network.attach(pod).add().ok();
    pod.exec("ip", "link", "set", "eth0", "name", "wan0");

    network.after(result).attach(pod).del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  /** The Go plugin would leave veth pair, masquerade and spoof check. */
  @Test
  void whatTheOriginalMadeGoesWithoutANamespaceToo(Host host, Host pod) {
    BridgeNetwork network = network(host);
    JsonNode result = network.attach(pod).by(Side.GO).add().ok();

    network.after(result).attach(pod).withNetns("").del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  @Test
  void anothersLinkOfThatNameStays(Host host, Host one, Host two) {
    BridgeNetwork network = network(host);
    JsonNode ours = network.attach(one).add().ok();
    JsonNode other = network.attach(two).add().ok();
    network.attach(one).del().ok();
    Left before = Left.on(host, leases);

    network.after(other).attach(one).withNetns("").del().ok();
    network.after(ours).attach(one).withNetns("").del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(before);
    two.exec("ping", "-c1", "-W2", "10.1.2.1");
  }

  @Test
  void whatWasNeverThereCanBeRemoved(Host host, Host pod) {
    Attaching eth0 = network(host).attach(pod);

    eth0.del().ok();
    eth0.withNetns("").del().ok();

    assertThat(host.json("ip", "-j", "link").size()).isEqualTo(1);
  }

  /** The Go plugin refuses, and the address is lost. */
  @Test
  void aConfigurationThatBecameWrongIsNoObstacle(Host host, Host pod) {
    BridgeNetwork network = network(host);
    network.attach(pod).add().ok();

    network.with("vlan", 5000).with("bridge", 7).attach(pod).del().ok();

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  /** Everything else is removed nevertheless. */
  @Test
  void anIpamPluginThatFailsIsReportedAtTheEnd(Host host, Host pod) {
    BridgeNetwork network = network(host);
    network.attach(pod).add().ok();

    Attaching broken = network.attach(pod).with("CNI_PATH", "/nowhere");
    assertThat(broken.del().error().msg()).contains("failed to find plugin \"host-local\"");

    assertThat(Left.on(host, leases).links()).isEmpty();
    assertThat(Left.on(host, leases).rules()).isEmpty();
    assertThat(Left.on(host, leases).leases()).containsExactly("10.1.2.2");
    network.attach(pod).del().ok();
    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }

  private BridgeNetwork network(Host host) {
    return BridgeNetwork.on(host)
        .version("1.0.0")
        .with("isDefaultGateway", true)
        .with("ipMasq", true)
        .with("macspoofchk", true)
        .addresses(leases, "10.1.2.0/24");
  }
}
