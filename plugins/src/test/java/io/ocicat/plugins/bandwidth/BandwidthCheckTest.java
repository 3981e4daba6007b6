package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Hosts
class BandwidthCheckTest {
  private Attaching eth0;
  private String ifb;

  @BeforeEach
  void attach(Host host, Host pod) {
    eth0 = Shaped.wired(host, pod).with("1.1.0", BOTH);
    ifb = Shaped.ifb(pod, "eth0").name();
    eth0.add().ok();
    eth0.check().ok();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tc qdisc del dev veth0 root|failed to find qdisc: ingress of \"veth0\" has no",
        "tc qdisc replace dev veth0 root handle 2: pfifo|failed to find qdisc: ingress of \"veth0\" has pfifo, should have tbf rate 8Mbit burst 1000000b limit 1025000b",
        "tc qdisc change dev veth0 root handle 1: tbf rate 9mbit burst 1mb latency 25ms|rate doesn't match: ingress of \"veth0\" has tbf rate 9Mbit",
        "tc qdisc change dev veth0 root handle 1: tbf rate 8mbit burst 1000000 limit 99999|limit doesn't match",
        "tc qdisc change dev veth0 root handle 1: tbf rate 8mbit burst 20000 limit 1025000|buffer doesn't match",
        "tc qdisc del dev IFB root|failed to find qdisc: egress of \"IFB\"",
        "tc qdisc change dev IFB root handle 1: tbf rate 1mbit burst 1mb latency 25ms|rate doesn't match: egress of \"IFB\"",
        "ip link del IFB|get ifb device: link \"IFB\" not found",
        "ip link set IFB down|ifb \"IFB\" is down",
        "tc filter del dev veth0 ingress|no filter of \"veth0\" redirects to ifb \"IFB\"",
        "tc qdisc del dev veth0 ingress|no filter of \"veth0\" redirects to ifb \"IFB\"",
        "ip link set veth0 name veth9|no veth peer of container interface found in host ns",
        "ip link del veth0|container interface eth0 has no veth peer",
      })
  void whatIsGoneOrWrongIsNamed(String damage, String message, Host host) {
    host.exec("ip", "link", "set", "veth0", "down");
    host.exec(damage.replace("IFB", ifb).split(" "));

    assertThat(eth0.check().error().msg()).contains(message.replace("IFB", ifb));
  }

  @Test
  void theResultOfAddIsRequired(Host host, Host pod) {
    Shaped shaped = new Shaped(host, pod, "veth0", "eth0");

    assertThat(shaped.bare("1.1.0", BOTH).check().error().msg())
        .isEqualTo("required prevResult missing");
  }
}
