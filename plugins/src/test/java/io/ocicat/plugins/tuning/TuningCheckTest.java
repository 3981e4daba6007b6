package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Hosts
class TuningCheckTest {
  private static final String EVERYTHING =
      "'sysctl':{'net.ipv4.conf.IFNAME.rp_filter':'2','net.ipv4.ip_local_port_range':'2000 3000'},"
          + "'mac':'c2:11:22:33:44:55','promisc':true,'mtu':1454,'allmulti':true,'txQLen':20000";

  private Tuned tuned;

  @BeforeEach
  void wire(Host host, Host pod, @TempDir Path directory) {
    tuned = Tuned.wired(host, pod, directory);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sysctl -w net.ipv4.conf.eth0.rp_filter=1|sysctl net/ipv4/conf/eth0/rp_filter is \"1\", should be \"2\"",
        "ip link set eth0 address c2:11:22:33:44:56|link eth0: MAC address is c2:11:22:33:44:56, should be c2:11:22:33:44:55",
        "ip link set eth0 promisc off|link eth0: promisc is false, should be true",
        "ip link set eth0 mtu 1500|link eth0: MTU is 1500, should be 1454",
        "ip link set eth0 allmulticast off|link eth0: allmulti is false, should be true",
        "ip link set eth0 txqueuelen 1|link eth0: transmit queue length is 1, should be 20000",
        "ip link set eth0 mtu 1500 txqueuelen 1|link eth0: MTU is 1500, should be 1454; transmit queue length is 1, should be 20000",
        "ip link set eth0 name eth1|open /proc/sys/net/ipv4/conf/eth0/rp_filter",
      })
  void whatHasChangedIsNamed(String change, String message) {
    Attaching eth0 = tuned.with("1.1.0", EVERYTHING);
    eth0.add().ok();
    eth0.check().ok();

    tuned.pod().exec(change.split(" "));

    assertThat(eth0.check().error().msg()).contains(message);
  }

  @Test
  void unlessConfiguredPromiscIsOff() {
    Attaching eth0 = tuned.with("1.1.0", "");
    eth0.add().ok();
    eth0.check().ok();

    tuned.pod().exec("ip", "link", "set", "eth0", "promisc", "on");

    assertThat(eth0.check().error().msg()).isEqualTo("link eth0: promisc is true, should be false");
  }

  @Test
  void theInterfaceMustBeThere() {
    tuned.host().exec("ip", "link", "del", "veth0");

    assertThat(tuned.bare("1.1.0", "'prevResult':{}").check().error().msg())
        .isEqualTo("cannot find container link eth0");
  }
}
