package io.ocicat.plugins.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetSysctlTest {

  @ParameterizedTest
  @CsvSource({
    "net.ipv4.ip_forward, net/ipv4/ip_forward",
    "net/ipv4/ip_forward, net/ipv4/ip_forward",
    "net.ipv4/conf.all/rp_filter, net/ipv4/conf/all/rp_filter",
    "/net..ipv4//ip_forward/, net/ipv4/ip_forward",
    "net.ipv4.conf.IFNAME.rp_filter, net/ipv4/conf/eth0.7/rp_filter",
    "../net/../kernel/x, net/kernel/x",
    "net.ipv4.conf.IFNAME.IFNAME, net/ipv4/conf/eth0.7/IFNAME",
  })
  void dotsAndSlashesSeparateAndTheInterfaceKeepsItsDots(String key, String path) {
    assertThat(NetSysctl.setting(key, "eth0.7").path()).containsExactly(path.split("/"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "net",
        "net.",
        "kernel.shmmax",
        "IFNAME.x",
        "network.x",
        "net.ipv4.x y",
        "net.ipv4.x\n",
        "net.\0.x",
      })
  void onlyThoseBelowNetCanBeSet(String key) {
    assertThatThrownBy(() -> NetSysctl.setting(key, "eth0"))
        .hasMessageContaining("invalid net sysctl key");
  }

  @Test
  void aListIsTheSameWhateverIsBetweenItsNumbers() {
    NetSysctl range =
        new NetSysctl(
            "net.ipv4.ip_local_port_range",
            NetSysctl.setting("net.ipv4.ip_local_port_range", ""),
            "1024 2048");

    assertThat(range.isValue("1024\t2048")).isTrue();
    assertThat(range.isValue("1024\t2049")).isFalse();
    assertThat(range.isValue("10242048")).isFalse();
  }
}
