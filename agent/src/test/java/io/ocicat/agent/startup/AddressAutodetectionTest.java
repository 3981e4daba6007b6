package io.ocicat.agent.startup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.agent.startup.AddressAutodetection.Detected;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Hosts
class AddressAutodetectionTest {
  private static @Nullable NetNs namespace;

  /** eth1 is newer than eth0, has lower addresses, and only eth0 has a default route. */
  @BeforeAll
  static void makeInterfaces(Host machine) {
    link(machine, "eth0", "192.0.2.10/24", "2001:db8::10/64");
    link(machine, "eth1", "198.51.100.7/25", "2001:db8:1::7/64");
    link(machine, "docker0", "172.17.0.1/16");
    link(machine, "br-lan", "10.8.0.1/16");
    link(machine, "nodelocaldns", "169.254.20.10/32", "10.96.0.10/32");
    link(machine, "eth9", "203.0.113.1/24");
    machine.exec("ip", "link", "set", "eth9", "down");
    machine.exec("ip", "route", "add", "default", "via", "192.0.2.1", "metric", "50");
    machine.exec("ip", "route", "add", "default", "via", "198.51.100.1", "metric", "100");
    machine.exec("ip", "route", "add", "10.200.0.0/16", "via", "198.51.100.1");
    namespace = NetNs.open(machine.path());
  }

  private static void link(Host host, String name, String... addresses) {
    host.exec("ip", "link", "add", name, "type", "bridge");
    host.exec("ip", "link", "set", name, "up");
    for (String address : addresses) {
      if (address.contains(":")) {
        host.exec("ip", "address", "add", address, "dev", name, "nodad");
      } else {
        host.exec("ip", "address", "add", address, "dev", name);
      }
    }
  }

  @AfterAll
  static void close(Host machine) {
    host().close();
  }

  private static NetNs host() {
    return requireNonNull(namespace);
  }

  private static Detected detect(IpFamily family, String method, String... internal) {
    return new AddressAutodetection(
            host(), List.of(internal).stream().map(IpAddress::parse).toList())
        .detect(family, "IP_AUTODETECTION_METHOD", method);
  }

  private static Detected detected(String prefix, String name) {
    return new Detected(IpPrefix.parse(prefix), name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                        | 192.0.2.10/24   | eth0",
        "first-found               | 192.0.2.10/24   | eth0",
        "skip-interface=eth0       | 198.51.100.7/25 | eth1",
        "skip-interface=h0,^foo    | 198.51.100.7/25 | eth1",
        "interface=eth.*           | 198.51.100.7/25 | eth1",
        "interface=th0,docker      | 172.17.0.1/16   | docker0",
        "interface=^br-            | 10.8.0.1/16     | br-lan",
        "cidr=192.0.2.0/24         | 192.0.2.10/24   | eth0",
        "cidr=203.0.113.0/24,172.16.0.0/12 | 172.17.0.1/16 | docker0",
        "can-reach=10.200.1.1      | 198.51.100.7/25 | eth1",
        "can-reach=8.8.8.8         | 192.0.2.10/24   | eth0",
        "can-reach=172.17.9.9      | 172.17.0.1/16   | docker0",
      })
  void everyMethodFindsTheIpv4Address(String method, String prefix, String name) {
    assertThat(detect(IpFamily.V4, method)).isEqualTo(detected(prefix, name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "first-found             | 2001:db8:1::7/64 | eth1",
        "interface=eth0          | 2001:db8::10/64  | eth0",
        "cidr=2001:db8::/64      | 2001:db8::10/64  | eth0",
        "can-reach=2001:db8::99  | 2001:db8::10/64  | eth0",
      })
  void everyMethodFindsTheIpv6Address(String method, String prefix, String name) {
    assertThat(detect(IpFamily.V6, method)).isEqualTo(detected(prefix, name));
  }

  @Test
  void theAddressThatKubernetesKnowsIsPreferred() {
    assertThat(detect(IpFamily.V4, "first-found", "198.51.100.7"))
        .isEqualTo(detected("198.51.100.7/25", "eth1"));
    assertThat(detect(IpFamily.V4, "first-found", "10.96.0.10"))
        .as("on an interface that is excluded")
        .isEqualTo(detected("192.0.2.10/24", "eth0"));
    assertThat(detect(IpFamily.V4, "kubernetes-internal-ip", "2001:db8::10", "198.51.100.7"))
        .isEqualTo(detected("198.51.100.7/25", "eth1"));
    assertThat(detect(IpFamily.V6, "kubernetes-internal-ip", "2001:db8::10", "198.51.100.7"))
        .isEqualTo(detected("2001:db8::10/64", "eth0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "interface=wlan",
        "interface=eth9",
        "cidr=203.0.113.0/24",
        "skip-interface=.*",
        "kubernetes-internal-ip",
        "can-reach=2001:db8::99",
        "can-reach=no such name"
      })
  void aMethodThatFindsNothingIsNamed(String method) {
    assertThatThrownBy(() -> detect(IpFamily.V4, method))
        .isInstanceOfSatisfying(
            StartupException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(StartupException.Reason.NO_ADDRESS);
              assertThat(e).hasMessageContaining("IP_AUTODETECTION_METHOD");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fastest",
        "interface=",
        "interface=eth0,",
        "interface=(",
        "cidr=10",
        "can-reach="
      })
  void anInvalidMethodIsRefused(String method) {
    assertThatThrownBy(() -> detect(IpFamily.V4, method))
        .isInstanceOfSatisfying(
            StartupException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(StartupException.Reason.BAD_SETTING);
              assertThat(e).hasMessageStartingWith("IP_AUTODETECTION_METHOD ");
            });
  }

  @Test
  void anAddressThatIsStillCheckedForDuplicatesDoesNotCount(Host other) {
    link(other, "uplink", "2001:db8::1/64");
    other.exec("ip", "link", "add", "newest", "type", "veth", "peer", "name", "peer1");
    other.exec("sysctl", "-qw", "net.ipv6.conf.newest.dad_transmits=30");
    other.exec("ip", "link", "set", "newest", "up");
    other.exec("ip", "link", "set", "peer1", "up");
    other.exec("ip", "address", "add", "2001:db8:2::1/64", "dev", "newest");
    try (NetNs inside = NetNs.open(other.path())) {
      assertThat(new AddressAutodetection(inside, List.of()).detect(IpFamily.V6, "IP6", ""))
          .isEqualTo(detected("2001:db8::1/64", "uplink"));
    }
  }
}
