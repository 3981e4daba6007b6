package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ADD fails at each of its steps, five times each, and leaves the previous state. */
@Hosts
class BandwidthRollbackTest {

  @Test
  void aRootQdiscOfSomebodyElseStays(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec(
        "tc qdisc add dev veth0 root handle 1: tbf rate 1mbit burst 10k latency 9ms".split(" "));

    CniException error = failsLeavingNothing(shaped);

    assertThat(error.msg()).isEqualTo("\"veth0\" already has a root qdisc: tbf 1:");
    assertThat(error.details()).contains("tc qdisc del dev veth0 root");
  }

  @Test
  void addedTwiceTheFirstStays(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    shaped.with("1.0.0", Shaped.EGRESS).add().ok();

    CniException error = failsLeavingNothing(shaped);

    assertThat(error.msg()).endsWith("of interface eth0 already exists");
    assertThat(error.details()).contains("run DEL first");
    shaped.with("1.0.0", Shaped.EGRESS).check().ok();
  }

  @Test
  void bothNamesOfTheIfbAreTaken(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    Ifb ifb = Shaped.ifb(pod, "eth0");
    host.exec("ip", "link", "add", ifb.name(), "type", "ifb");
    host.exec("ip", "link", "add", ifb.secondName(), "type", "bridge");

    assertThat(failsLeavingNothing(shaped).msg()).contains(ifb.secondName(), "already exists");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ingress", "clsact"})
  void theHookHasNoRoom(String kind, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("tc", "qdisc", "add", "dev", "veth0", kind);
    host.exec(
        "tc filter add dev veth0 ingress pref 65535 protocol ip u32 match u32 0 0 flowid 1:2"
            .split(" "));

    CniException error = failsLeavingNothing(shaped);

    assertThat(error.msg())
        .isEqualTo("no room for a filter on the %s qdisc of \"veth0\"".formatted(kind));
    assertThat(error.details()).contains("65535");
  }

  /** Filters of a shared block are not those of a link: the kernel refuses ours. */
  @Test
  void theKernelRefusesTheFilter(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("tc qdisc add dev veth0 ingress_block 7 clsact".split(" "));

    assertThat(failsLeavingNothing(shaped).msg()).contains("add filter dev");
  }

  private static CniException failsLeavingNothing(Shaped shaped) {
    String before = shaped.everything();
    Attaching eth0 = shaped.with("1.0.0", BOTH);
    CniException error = eth0.add().error();
    for (int i = 1; i < 5; i++) {
      eth0.add().error();
    }
    assertThat(shaped.everything()).as("after %s", error.getMessage()).isEqualTo(before);
    return error;
  }
}
