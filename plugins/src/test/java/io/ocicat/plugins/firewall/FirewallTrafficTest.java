package io.ocicat.plugins.firewall;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real packets: a host with two bridges, {@code red} with pods a and b, {@code blue} with pod c,
 * and a world outside.
 */
@Hosts
class FirewallTrafficTest {

  @BeforeEach
  void wire(Host host, Host world, Host a, Host b, Host c) {
    // A router cannot resolve neighbours before its link-local address has been checked.
    for (Host one : List.of(host, world, a, b, c)) {
      one.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    }
    host.exec("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
    host.connect(world, "192.0.2.1/24", "192.0.2.2/24");
    ip(
        world,
        "address add 2001:db8::2/64 dev wire0",
        "route add 10.0.0.0/8 via 192.0.2.1",
        "route add fd00::/16 via 2001:db8::1");
    ip(
        host,
        "address add 2001:db8::1/64 dev wire0",
        "link add red up type bridge mcast_snooping 0",
        "address add 10.1.0.1/24 dev red",
        "address add fd00:1::1/64 dev red",
        "link add blue up type bridge mcast_snooping 0",
        "address add 10.2.0.1/24 dev blue",
        "address add fd00:2::1/64 dev blue");
    plug(host, a, "red", "vetha", "1", "2");
    plug(host, b, "red", "vethb", "1", "3");
    plug(host, c, "blue", "vethc", "2", "2");
  }

  private static void plug(
      Host host, Host pod, String bridge, String veth, String subnet, String number) {
    ip(
        host,
        "link add %s master %s up type veth peer name eth0 netns %s"
            .formatted(veth, bridge, pod.name()));
    ip(
        pod,
        "link set eth0 up",
        "address add 10.%s.0.%s/24 dev eth0".formatted(subnet, number),
        "address add fd00:%s::%s/64 dev eth0".formatted(subnet, number),
        "route add default via 10.%s.0.1".formatted(subnet),
        "route add default via fd00:%s::1".formatted(subnet));
  }

  private static void ip(Host host, String... lines) {
    host.command("ip", "-batch", "-").stdin(String.join("\n", lines)).run();
  }

  @ParameterizedTest
  @CsvSource({"iptables, ip6tables", "iptables-legacy, ip6tables-legacy"})
  void whereAllIsDroppedAttachedContainersGetThrough(
      String iptables, String ip6tables, Host host, Host world, Host a, Host b) {
    host.exec(iptables, "-P", "FORWARD", "DROP");
    host.exec(ip6tables, "-P", "FORWARD", "DROP");
    assertThat(reaches(a, "192.0.2.2")).isFalse();
    Attaching eth0 = a(host, a, "open");

    eth0.add().ok();

    assertThat(reaches(a, "192.0.2.2")).isTrue();
    assertThat(reaches(a, "2001:db8::2")).isTrue();
    assertThat(reaches(b, "192.0.2.2")).as("not attached").isFalse();
    assertThat(reaches(world, "10.1.0.2")).as("nobody asked for it").isFalse();
    eth0.check().ok();

    eth0.del().ok();
    assertThat(reaches(a, "192.0.2.2")).isFalse();
    assertThat(reaches(a, "2001:db8::2")).isFalse();
  }

  @Test
  void theAdministratorHasTheFirstWord(Host host, Host a) {
    host.exec("iptables", "-P", "FORWARD", "DROP");
    a(host, a, "open").add().ok();
    assertThat(reaches(a, "192.0.2.2")).isTrue();

    host.exec("iptables", "-A", "CNI-ADMIN", "-d", "192.0.2.2", "-j", "DROP");

    assertThat(reaches(a, "192.0.2.2")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "0"})
  void sameBridgeSeparatesBridges(String bridgeNf, Host host, Host a, Host b, Host c) {
    bridgeNf(host, bridgeNf);
    assertThat(reaches(a, "10.2.0.2")).as("before").isTrue();

    a(host, a, "same-bridge").add().ok();
    c(host, c, "same-bridge").add().ok();

    assertThat(reaches(a, "10.1.0.3")).as("the same bridge").isTrue();
    assertThat(reaches(a, "fd00:1::3")).isTrue();
    assertThat(reaches(a, "192.0.2.2")).as("the world").isTrue();
    assertThat(reaches(a, "10.2.0.2")).as("another bridge").isFalse();
    assertThat(reaches(c, "10.1.0.2")).isFalse();
    assertThat(reaches(a, "fd00:2::2")).isFalse();
    assertThat(reaches(b, "10.2.0.2")).as("the rules are the bridge's").isFalse();
  }

  /** Bridged packets pass iptables only where the kernel's bridge-nf-call-iptables is on. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "0"})
  void isolatedSeparatesAllContainers(String bridgeNf, Host host, Host a, Host b, Host c) {
    bridgeNf(host, bridgeNf);

    a(host, a, "isolated").add().ok();
    Attaching other = b(host, b, "isolated");
    other.add().ok();
    c(host, c, "isolated").add().ok();

    assertThat(reaches(a, "10.1.0.3")).as("the same bridge").isFalse();
    assertThat(reaches(a, "fd00:1::3")).isFalse();
    assertThat(reaches(a, "10.2.0.2")).as("another bridge").isFalse();
    assertThat(reaches(a, "192.0.2.2")).as("the world").isTrue();
    assertThat(reaches(a, "10.1.0.1")).as("the host").isTrue();
    other.check().ok();

    host.exec("bridge", "link", "set", "dev", "vethb", "isolated", "off");
    assertThat(other.check().error().msg())
        .isEqualTo("port \"vethb\" of bridge \"red\" is not isolated");
  }

  /** As after someone removed and the Go plugin re-made the jump to CNI-FORWARD. */
  @Test
  void isolationComesBackToTheFront(Host host, Host a, Host c) {
    a(host, a, "same-bridge").add().ok();
    Attaching blue = c(host, c, "same-bridge");
    blue.add().ok();
    host.exec("iptables", "-D", "FORWARD", "2");
    a(host, a, "open").add().ok();
    assertThat(reaches(a, "10.2.0.2")).as("accepted before it is looked at").isTrue();
    assertThat(blue.check().error().msg()).contains("CNI-ISOLATION-STAGE-1");

    blue.add().ok();

    assertThat(reaches(a, "10.2.0.2")).isFalse();
    blue.check().ok();
  }

  private static Attaching a(Host host, Host pod, String policy) {
    return Firewalled.of("10.1.0.2/24", "fd00:1::2/64")
        .behind("red", "vetha")
        .with("\"ingressPolicy\":\"%s\"".formatted(policy))
        .attach(host, pod);
  }

  private static Attaching b(Host host, Host pod, String policy) {
    return Firewalled.of("10.1.0.3/24", "fd00:1::3/64")
        .behind("red", "vethb")
        .with("\"ingressPolicy\":\"%s\"".formatted(policy))
        .attach(host, pod);
  }

  private static Attaching c(Host host, Host pod, String policy) {
    return Firewalled.of("10.2.0.2/24", "fd00:2::2/64")
        .behind("blue", "vethc")
        .with("\"ingressPolicy\":\"%s\"".formatted(policy))
        .attach(host, pod);
  }

  /** Nothing to set where the kernel lacks it: then bridges never call iptables. */
  private static void bridgeNf(Host host, String value) {
    host.exec(
        "sh",
        "-c",
        "for f in /proc/sys/net/bridge/bridge-nf-call-ip*tables; do [ ! -e $f ] || echo %s >$f; done"
            .formatted(value));
  }

  private static boolean reaches(Host from, String address) {
    return from.tryExec("ping", "-c1", "-W0.4", address).succeeded();
  }
}
