package io.ocicat.plugins.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ADD fails at each of its steps, five times each: nothing stays, and then it works. */
@Hosts
class BridgeRollbackTest {
  private static final String ADDRESS =
      "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.9/24\",\"gateway\":\"10.1.2.1\"}]}";

  @TempDir Path leases;
  @TempDir Path scripts;
  private ScriptedIpam ipam;

  @BeforeEach
  void scriptIpam() {
    ipam = ScriptedIpam.in(scripts).answering(ADDRESS);
  }

  @Test
  void noAddressIsLeft(Host host, Host pod) {
    ipam.failing("{\"cniVersion\":\"1.1.0\",\"code\":11,\"msg\":\"no addresses left\"}");

    failsFiveTimes(host, pod, network(host), "no addresses left");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  @Test
  void ipamGivesNothing(Host host, Host pod) {
    ipam.answering("{\"cniVersion\":\"1.1.0\"}");

    failsFiveTimes(host, pod, network(host), "IPAM plugin returned missing IP config");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  @Test
  void ipamGivesNonsense(Host host, Host pod) {
    ipam.answering("hello");

    failsFiveTimes(host, pod, network(host), "");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  @Test
  void theBridgeHasAnotherAddress(Host host, Host pod) {
    host.exec("ip", "link", "add", "br0", "type", "bridge");
    host.exec("ip", "address", "add", "10.9.9.1/24", "dev", "br0");

    failsFiveTimes(host, pod, network(host), "already has an IP address different from");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  @Test
  void theContainerCannotHaveTheAddress(Host host, Host pod) {
    ipam.answering(
        "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.9/24\",\"gateway\":\"10.1.2.1\"}],"
            + "\"routes\":[{\"dst\":\"10.7.0.0/16\",\"gw\":\"192.0.2.1\"}]}");

    failsFiveTimes(host, pod, network(host), "route 10.7.0.0/16 via 192.0.2.1");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  @Test
  void theSpoofCheckCannotBeMade(Host host, Host pod) {
    host.exec("nft", "add table bridge ocicat_macspoofchk");
    host.exec("nft", "add set bridge ocicat_macspoofchk guarded { type mark; }");

    failsFiveTimes(host, pod, network(host).with("macspoofchk", true), "");
  }

  @Test
  void masqueradeCannotBeMade(Host host, Host pod) {
    host.exec("nft", "add table inet ocicat_masquerade");
    host.exec("nft", "add set inet ocicat_masquerade sources4 { type mark; }");

    failsFiveTimes(host, pod, network(host).with("ipMasq", true).with("macspoofchk", true), "");

    assertThat(ipam.calls()).startsWith("ADD", "DEL", "ADD", "DEL");
  }

  private BridgeNetwork network(Host host) {
    return ipam.of(BridgeNetwork.on(host)).with("isGateway", true);
  }

  private void failsFiveTimes(Host host, Host pod, BridgeNetwork network, String because) {
    Attaching eth0 = ipam.found(network.attach(pod));
    for (int i = 0; i < 5; i++) {
      assertThat(eth0.add().error().msg()).contains(because);
      assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
      assertThat(pod.json("ip", "-j", "link").size()).isEqualTo(1);
    }
    eth0.del().ok();
    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
  }
}
