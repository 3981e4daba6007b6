package io.ocicat.netlink.ns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Hosts
class SysctlTest {
  private static final Sysctl FORWARD = Sysctl.of("net", "ipv4", "ip_forward");

  @Test
  void valuesBelongToTheNamespace(Host a, Host b) {
    try (NetNs first = NetNs.open(a.path());
        NetNs second = NetNs.open(b.path())) {
      FORWARD.writeIn(first, "1");
      FORWARD.writeIn(second, "0");

      assertThat(FORWARD.readIn(first)).isEqualTo("1");
      assertThat(a.exec("cat", "/proc/sys/net/ipv4/ip_forward").stdout().strip()).isEqualTo("1");
      assertThat(b.exec("cat", "/proc/sys/net/ipv4/ip_forward").stdout().strip()).isEqualTo("0");
    }
  }

  @Test
  void interfaceNamesMayHoldDots(Host host) {
    host.exec("ip", "link", "add", "br.7", "type", "bridge");
    try (NetNs inside = NetNs.open(host.path())) {
      Sysctl.of("net", "ipv4", "conf", "br.7", "proxy_arp").writeIn(inside, "1");

      assertThat(Sysctl.parse("net.ipv4.conf.br/7.proxy_arp").readIn(inside)).isEqualTo("1");
      assertThat(Sysctl.parse("net/ipv4/conf/br.7/proxy_arp").readIn(inside)).isEqualTo("1");
    }
  }

  @Test
  void aFailureSaysWhichSettingAndWhy(Host host) {
    try (NetNs inside = NetNs.open(host.path())) {
      assertThatThrownBy(
              () -> Sysctl.of("net", "ipv4", "conf", "eth9", "proxy_arp").writeIn(inside, "1"))
          .hasMessage(
              "open /proc/sys/net/ipv4/conf/eth9/proxy_arp: No such file or directory (ENOENT)");
      assertThatThrownBy(() -> FORWARD.writeIn(inside, "perhaps"))
          .hasMessage("set sysctl net/ipv4/ip_forward to \"perhaps\": Invalid argument (EINVAL)");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "net//x",
        "net/../kernel/panic",
        "net..ipv4",
        "net/./x",
        "/net/x",
        "net.ipv4."
      })
  void whatLeavesTheTreeIsNoSysctl(String name) {
    assertThatThrownBy(() -> Sysctl.parse(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not the name of a sysctl");
  }
}
