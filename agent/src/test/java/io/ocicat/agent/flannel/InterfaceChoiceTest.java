package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@Hosts
class InterfaceChoiceTest {
  private static final List<IpFamily> V4 = List.of(IpFamily.V4);
  private static final List<IpFamily> V6 = List.of(IpFamily.V6);
  private static final List<IpFamily> BOTH = List.of(IpFamily.V4, IpFamily.V6);

  private static ExternalInterface find(
      Host host, List<IpFamily> families, Map<String, String> environment) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return InterfaceChoice.find(namespace, FlannelSettings.of(environment), families, Map.of());
    }
  }

  private static void add(Host host, String name, String... addresses) {
    host.exec("ip", "link", "add", name, "type", "veth", "peer", "name", name + "p");
    host.exec("ip", "link", "set", name + "p", "up");
    host.exec("ip", "link", "set", name, "up");
    for (String address : addresses) {
      host.exec("sh", "-c", "ip address add " + address + " dev " + name);
    }
  }

  private static void addTwo(Host host) {
    add(host, "eth0", "192.0.2.1/24", "2001:db8::1/64 nodad");
    add(host, "eth1", "198.51.100.1/24", "198.51.100.2/24", "2001:db8:1::1/64 nodad");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.254");
    host.exec("ip", "-6", "route", "add", "default", "via", "2001:db8::fe");
  }

  @Test
  void theDefaultRouteDecides(Host host) {
    addTwo(host);

    ExternalInterface found = find(host, BOTH, Map.of());
    assertThat(found.name()).isEqualTo("eth0");
    assertThat(found.mtu()).isEqualTo(1500);
    assertThat(found.publicAddress(IpFamily.V4)).contains(IpAddress.parse("192.0.2.1"));
    assertThat(found.publicAddress(IpFamily.V6)).contains(IpAddress.parse("2001:db8::1"));
    assertThat(found.isDirect(IpAddress.parse("192.0.2.77"))).isTrue();
    assertThat(found.isDirect(IpAddress.parse("192.0.3.77"))).isFalse();
    assertThat(find(host, V6, Map.of()).addresses()).containsOnlyKeys(IpFamily.V6);
  }

  @Test
  void settingsDecideInTheirOrder(Host host) {
    addTwo(host);

    assertThat(find(host, V4, Map.of("FLANNELD_IFACE", "nope,eth1")).name()).isEqualTo("eth1");
    ExternalInterface byAddress = find(host, BOTH, Map.of("FLANNELD_IFACE", "198.51.100.2"));
    assertThat(byAddress.name()).isEqualTo("eth1");
    assertThat(byAddress.address(IpFamily.V4)).contains(IpAddress.parse("198.51.100.2"));
    assertThat(byAddress.address(IpFamily.V6)).contains(IpAddress.parse("2001:db8:1::1"));
    assertThat(find(host, V4, Map.of("FLANNELD_IFACE_REGEX", "^198\\.51")).name())
        .isEqualTo("eth1");
    assertThat(find(host, V4, Map.of("FLANNELD_IFACE_REGEX", "h1$")).name()).isEqualTo("eth1");
    assertThat(find(host, V4, Map.of("FLANNELD_IFACE_CAN_REACH", "198.51.100.9")).name())
        .isEqualTo("eth1");
    ExternalInterface published =
        find(host, V4, Map.of("FLANNELD_PUBLIC_IP", "203.0.113.9", "FLANNELD_IFACE", "eth0"));
    assertThat(published.publicAddress(IpFamily.V4)).contains(IpAddress.parse("203.0.113.9"));
    assertThat(published.address(IpFamily.V4)).contains(IpAddress.parse("192.0.2.1"));
  }

  @Test
  void temporaryAndDeprecatedAddressesComeLast(Host host) {
    add(
        host,
        "eth0",
        "2001:db8::1/64 nodad preferred_lft 0",
        "2001:db8::2/64 nodad preferred_lft 600 valid_lft 600",
        "2001:db8::3/64 nodad");

    assertThat(find(host, V6, Map.of("FLANNELD_IFACE", "eth0")).address(IpFamily.V6))
        .contains(IpAddress.parse("2001:db8::3"));
  }

  @Test
  void whatIsMissingIsNamed(Host host) {
    add(host, "eth0", "192.0.2.1/24");
    assertThatThrownBy(() -> find(host, V4, Map.of()))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("no default route of IPv4")
        .hasMessageContaining("this node has lo, eth0p, eth0");
    host.exec("ip", "-6", "address", "flush", "dev", "eth0");
    assertThatThrownBy(() -> find(host, BOTH, Map.of("FLANNELD_IFACE", "eth0")))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("eth0 has no IPv6 address");
    assertThatThrownBy(() -> find(host, V4, Map.of("FLANNELD_IFACE", "eth7")))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("none has the name or address eth7 of FLANNELD_IFACE");
    add(host, "eth1", "2001:db8::1/64 nodad");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.254");
    host.exec("ip", "-6", "route", "add", "default", "via", "2001:db8::fe");
    assertThatThrownBy(() -> find(host, BOTH, Map.of()))
        .isInstanceOf(FlannelException.class)
        .hasMessageContaining("on eth0 and eth1");
  }
}
