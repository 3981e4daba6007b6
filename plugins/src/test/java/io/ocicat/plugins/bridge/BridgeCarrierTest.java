package io.ocicat.plugins.bridge;

import static io.ocicat.plugins.bridge.BridgePluginTest.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ADD returns when frames can pass. Here somebody sets the port down while IPAM runs. */
@Hosts
class BridgeCarrierTest {
  @TempDir Path leases;
  @TempDir Path scripts;

  @Test
  void aPortThatStaysDownIsReported(Host host, Host pod) {
    Attaching eth0 = attachment(host, pod, "");

    assertThat(eth0.add().error().msg())
        .matches("bridge port in error state: interface \"veth[0-9a-f]{8}\" has no carrier");

    assertThat(Left.on(host, leases)).isEqualTo(Left.NOTHING);
    assertThat(ScriptedIpam.in(scripts).calls()).containsExactly("ADD", "DEL");
  }

  @Test
  void aPortThatComesUpLateIsWaitedFor(Host host, Host pod) {
    Attaching eth0 =
        attachment(host, pod, "(sleep 0.5; at ip link set \"$port\" up) > /dev/null 2>&1 &\n");

    String port = eth0.add().ok().at("/interfaces/1/name").asString();

    assertThat(link(host, port).path("operstate").asString()).isEqualTo("UP");
  }

  private Attaching attachment(Host host, Host pod, String then) {
    String down =
        """
        at() { nsenter --net=%s "$@"; }
        port=$(at ip -o link show master br0 | sed 's/^[0-9]*: \\(veth[0-9a-f]*\\)@.*/\\1/')
        at ip link set "$port" down
        """
            .formatted(host.path());
    ScriptedIpam ipam =
        ScriptedIpam.in(scripts)
            .doing(down + then)
            .answering("{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.9/24\"}]}");
    return ipam.found(ipam.of(BridgeNetwork.on(host)).attach(pod));
  }
}
