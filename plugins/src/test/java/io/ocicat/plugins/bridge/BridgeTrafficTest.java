package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Real packets. */
@Hosts
class BridgeTrafficTest {
  private static final String FIRST = "10.1.2.2";
  private static final String SECOND = "10.1.2.3";
  private static final String GATEWAY = "10.1.2.1";

  @TempDir Path leases;

  @Test
  void containersReachEachOther(Host host, Host one, Host two) {
    BridgeNetwork network = network(host);
    network.attach(one).add().ok();
    network.attach(two).add().ok();

    assertThat(reaches(one, SECOND)).isTrue();
    assertThat(reaches(two, "2001:db8:1::2")).isTrue();
    assertThat(reaches(host, FIRST)).isTrue();
  }

  @Test
  void isolatedPortsReachTheGatewayOnly(Host host, Host one, Host two) {
    BridgeNetwork network = network(host).with("portIsolation", true);
    network.attach(one).add().ok();
    network.attach(two).add().ok();

    assertThat(reaches(one, GATEWAY)).isTrue();
    assertThat(reaches(one, SECOND)).isFalse();
  }

  /** The outside has no route to containers, so their packets must come from the host's address. */
  @Test
  void masqueradedContainersReachTheOutside(Host host, Host one, Host two, Host outside) {
    host.connect(outside, "192.0.2.1/24", "192.0.2.2/24");
    network(host).with("ipMasq", true).attach(one).add().ok();
    network(host).attach(two).add().ok();

    assertThat(reaches(one, "192.0.2.2")).isTrue();
    assertThat(reaches(two, "192.0.2.2")).isFalse();
    assertThat(reaches(two, FIRST)).as("within the subnet").isTrue();
  }

  @Test
  void whoTakesAnothersHardwareAddressIsCutOff(Host host, Host one, Host two) {
    BridgeNetwork network = network(host).with("macspoofchk", true);
    JsonNode result = network.attach(one).add().ok();
    network.attach(two).add().ok();
    assertThat(reaches(one, GATEWAY)).isTrue();
    String mac = result.at("/interfaces/2/mac").asString();
    String forged = "02:00:00:00:00:99";

    one.exec("ip", "link", "set", "eth0", "address", forged);
    assertThat(reaches(one, GATEWAY)).isFalse();
    assertThat(reaches(two, GATEWAY)).as("the others").isTrue();

    one.exec("ip", "link", "set", "eth0", "address", mac);
    assertThat(reaches(one, GATEWAY)).isTrue();
  }

  private BridgeNetwork network(Host host) {
    return BridgeNetwork.on(host)
        .version("1.0.0")
        .with("isDefaultGateway", true)
        .addresses(leases, "10.1.2.0/24", "2001:db8:1::/64");
  }

  private static boolean reaches(Host from, String to) {
    return from.tryExec("ping", "-c2", "-i0.2", "-W0.5", to).succeeded();
  }
}
