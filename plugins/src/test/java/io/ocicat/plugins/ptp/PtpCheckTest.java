package io.ocicat.plugins.ptp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** CHECK detects whatever is gone or changed, on either side of the veth pair. */
@Hosts
class PtpCheckTest {
  private static final String BOTH =
      """
      {"ips": [{"address": "10.1.2.5/24", "gateway": "10.1.2.1"},
               {"address": "fd00:1::5/64", "gateway": "fd00:1::1"}],
       "routes": [{"dst": "0.0.0.0/0", "gw": "10.1.2.1"}]}
      """;

  /** Damage to an attachment, in the pod or on the host, and the resulting error of CHECK. */
  enum Damage {
    ADDRESS(
        "failed to match addr 10.1.2.5/24 on interface eth0",
        "pod: ip address del 10.1.2.5/24 dev eth0"),
    IPV6_ADDRESS(
        "failed to match addr fd00:1::5/64 on interface eth0",
        "pod: ip address del fd00:1::5/64 dev eth0"),
    DEFAULT_ROUTE("expected route 0.0.0.0/0 via 10.1.2.1 not found", "pod: ip route del default"),
    GATEWAY_ROUTE(
        "expected route 10.1.2.1/32 dev eth0 src 10.1.2.5 scope link not found",
        "pod: ip route del 10.1.2.1"),
    SUBNET_ROUTE(
        "expected route fd00:1::/64 via fd00:1::1 dev eth0 src fd00:1::5 not found",
        "pod: ip route del fd00:1::/64"),
    DOWN("interface \"eth0\" is down", "pod: ip link set eth0 down"),
    OTHER_MAC(
        "\"eth0\" has the hardware address 02:00:00:00:00:01, not",
        "pod: ip link set eth0 address 02:00:00:00:00:01"),
    GONE("link \"eth0\" not found", "pod: ip link del eth0"),
    OTHER_KIND(
        "\"eth0\" is not a veth but bridge", "pod: ip link del eth0; ip link add eth0 type bridge"),
    HOST_DOWN("\" is down", "host: ip link set $CABLE down"),
    HOST_GATEWAY(
        "does not have the gateway address 10.1.2.1",
        "host: ip address del 10.1.2.1/32 dev $CABLE"),
    HOST_ROUTE("not found on the host", "host: ip route del fd00:1::5"),
    FORWARDING(
        "IPv4 forwarding is off on the host", "host: echo 0 > /proc/sys/net/ipv4/ip_forward"),
    MASQUERADE_ELEMENT(
        "address 10.1.2.5/24 of mynet/",
        "host: nft 'delete element inet ocicat_masquerade sources4 { 10.1.2.5 }'"),
    MASQUERADE_RULE(
        "@neighbours6_64 return\" is missing",
        "host: nft flush chain inet ocicat_masquerade leaving6");

    private final String error;
    private final String command;

    Damage(String error, String command) {
      this.error = error;
      this.command = command;
    }

    private void happen(Host host, Host pod) {
      String veth =
          host.json("ip", "-j", "link", "show", "type", "veth").at("/0/ifname").asString();
      int colon = command.indexOf(": ");
      Host side = command.startsWith("pod") ? pod : host;
      side.command("sh", "-ec", command.substring(colon + 2)).env("CABLE", veth).run();
    }
  }

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Damage.class)
  void damageIsNoticed(Damage damage, Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    Attaching checked = Ptp.withPrevious(eth0, eth0.add().ok());
    checked.check().ok();

    damage.happen(host, pod);

    assertThat(checked.check().error().getMessage()).contains(damage.error);
    checked.del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void ipamIsAsked(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));
    Attaching checked = Ptp.withPrevious(eth0, eth0.add().ok());
    ipam.failOn("CHECK");

    assertThat(checked.check().error().msg()).contains("told to fail");
  }

  @Test
  void thePreviousResultIsNecessary(Host host, Host pod) {
    Attaching eth0 = TestIpam.in(directory, BOTH).with(Ptp.withTestIpam(host, pod));
    JsonNode result = eth0.add().ok();

    assertThat(eth0.check().error().msg()).isEqualTo("required prevResult missing");
    assertThat(
            Ptp.withPrevious(eth0, CniJson.parse(result.toString().replace("eth0", "eth7")))
                .check()
                .error()
                .msg())
        .isEqualTo("prevResult has no container interface \"eth0\" in " + pod.path());
    assertThat(
            Ptp.withPrevious(eth0, CniJson.parse(result.toString().replace("\"veth", "\"eth")))
                .check()
                .error()
                .msg())
        .contains("prevResult has no host interface", "the other end of \"eth0\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1"})
  void oldVersionsKnowNoCheck(String version, Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, version, Ptp.V4);

    assertThat(eth0.check().error().msg()).contains("config version does not allow CHECK");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.4.0", "1.0.0"})
  void eachSideFindsNoFaultWithTheOther(String version, Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, version, Ptp.V4);
    Attaching go = eth0.by(Side.GO);

    Ptp.withPrevious(go, eth0.add().ok()).check().ok();
    eth0.del().ok();
    JsonNode result = go.add().ok();
    Ptp.withPrevious(eth0, result).check().ok();
    host.exec("iptables", "-t", "nat", "-F", "POSTROUTING");
    assertThat(Ptp.withPrevious(eth0, result).check().error().msg()).contains("is not masqueraded");
  }
}
