package io.ocicat.netlink.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pings as the demo sends them, between two hosts. */
@Hosts
class IcmpEchoTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static Optional<Duration> ping(Host from, String to, Duration limit) {
    try (NetNs namespace = NetNs.open(from.path())) {
      return namespace.visit(() -> IcmpEcho.send(IpAddress.parse(to), limit));
    }
  }

  @Test
  void aNeighbourAnswers(Host a, Host b) {
    a.connect(b, "10.0.0.1/24", "10.0.0.2/24");
    assertThat(ping(a, "10.0.0.2", LIMIT)).isPresent();
  }

  @Test
  void soDoesOneWithIpv6(Host a, Host b) {
    a.connect(b, "fd00::1/64", "fd00::2/64");
    assertThat(ping(a, "fd00::2", LIMIT)).isPresent();
  }

  @Test
  void whoDropsEchoRequestsDoesNotAnswer(Host a, Host b) {
    a.connect(b, "10.0.0.1/24", "10.0.0.2/24");
    b.exec("sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=1");
    assertThat(ping(a, "10.0.0.2", Duration.ofMillis(200))).isEmpty();
  }

  @Test
  void anAddressWithoutARouteIsTheKernelsErrorAtOnce(Host a) {
    assertThatThrownBy(() -> ping(a, "10.0.0.2", LIMIT))
        .isInstanceOf(NetlinkException.class)
        .hasMessage("reach 10.0.0.2: Network is unreachable (ENETUNREACH)");
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1/24, 10.0.0.2/24", "fd00::1/64, fd00::2/64"})
  void aWholePacketArrivesOnlyWhereItFits(String first, String second, Host a, Host b) {
    a.connect(b, first, second);
    String to = second.replaceFirst("/.*", "");
    String device = b.json("ip", "-j", "link", "show", "type", "veth").at("/0/ifname").asString();
    assertThat(whole(a, to, 1500, LIMIT)).isPresent();
    assertThat(whole(a, to, 1499, LIMIT)).isPresent();
    assertThatThrownBy(() -> whole(a, to, 1501, LIMIT))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.is(Errno.EMSGSIZE)).isTrue());

    b.exec("ip", "link", "set", device, "mtu", "1400");

    // A veth takes at most what its MTU and a link header make.
    assertThat(whole(a, to, 1500, Duration.ofMillis(200))).isEmpty();
    assertThat(whole(a, to, 1400, LIMIT)).isPresent();
  }

  private static Optional<Duration> whole(Host from, String to, int size, Duration limit) {
    try (NetNs namespace = NetNs.open(from.path())) {
      return namespace.visit(() -> IcmpEcho.sendWhole(IpAddress.parse(to), size, limit));
    }
  }
}
