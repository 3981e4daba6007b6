package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ingress hook of the veth is already in use by somebody else. */
@Hosts
class BandwidthHookTest {

  @ParameterizedTest
  @ValueSource(strings = {"ingress", "clsact"})
  void anEmptyHookIsSharedAndLeft(String kind, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("tc", "qdisc", "add", "dev", "veth0", kind);
    String before = shaped.everything();
    Attaching eth0 = shaped.with("1.0.0", BOTH);

    eth0.add().ok();
    assertThat(shaped.filters()).contains("pref 2 u32");
    eth0.check().ok();

    eth0.del().ok();
    assertThat(shaped.everything()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"ingress,1", "clsact,1", "clsact,7", "ingress,49152"})
  void othersFiltersComeFirstAndStay(String kind, int priority, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("tc", "qdisc", "add", "dev", "veth0", kind);
    host.exec(
        "tc filter add dev veth0 ingress pref %d protocol ip u32 match ip dst 10.9.9.9/32 flowid 1:9"
            .formatted(priority)
            .split(" "));
    String before = shaped.everything();
    Attaching eth0 = shaped.with("1.0.0", BOTH);

    eth0.add().ok();
    assertThat(shaped.filters()).contains("protocol all pref %d u32".formatted(priority + 1));
    eth0.check().ok();

    eth0.del().ok();
    assertThat(shaped.everything()).isEqualTo(before);
  }

  /** Somebody adds a filter to the hook that we created: it stays, and the hook with it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void ourHookStaysWhileOthersUseIt(int priority, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    Attaching eth0 = shaped.with("1.0.0", BOTH);
    eth0.add().ok();
    host.exec(
        "tc filter add dev veth0 ingress pref %d protocol all u32 match u32 1 1 at 0 flowid 1:9"
            .formatted(priority)
            .split(" "));

    eth0.del().ok();

    assertThat(shaped.filters()).contains("flowid 1:9").doesNotContain("mirred");
    assertThat(shaped.ifbs()).isEmpty();
  }
}
