package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where IPv6 routes behave differently from IPv4's. */
@Hosts
class Ipv6RoutesTest {
  private static final String DESTINATION = "fd09::/48";

  private TestNet net;
  private NetlinkSocket socket;
  private Device eth0;
  private Route route;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
    eth0 = net.link("eth0");
    route = Route.to(prefix(DESTINATION)).dev(eth0);
    socket.perform(Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()));
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void aMetricOfZeroBecomes1024() {
    socket.perform(Routes.add(route.via(ip("fd00::2"))));

    assertThat(listed()).singleElement().satisfies(one -> assertThat(one.metric()).isEqualTo(1024));
    assertThatThrownBy(() -> socket.perform(Routes.add(route.via(ip("fd00::3")).metric(1024))))
        .hasMessageContaining("(EEXIST)");
  }

  @Test
  void appendingMakesOneMultipathRoute(Host host) {
    socket.perform(
        Routes.add(route.via(ip("fd00::2"))),
        Routes.append(route.via(ip("fd00::3"))),
        Routes.prepend(route.via(ip("fd00::4"))));

    assertThat(gateways()).containsExactlyInAnyOrder("fd00::2", "fd00::3", "fd00::4");
    assertThat(listed()).hasSize(1);
    assertThat(host.exec("ip", "-6", "route", "show", DESTINATION).stdout())
        .contains("nexthop via fd00::2")
        .contains("nexthop via fd00::3")
        .contains("nexthop via fd00::4");
  }

  @Test
  void appendingTheSameHopAgainFails() {
    socket.perform(Routes.add(route.via(ip("fd00::2"))));

    assertThatThrownBy(() -> socket.perform(Routes.append(route.via(ip("fd00::2")))))
        .hasMessageStartingWith(
            "append route fd09::/48 via fd00::2 dev eth0: File exists (EEXIST)");
  }

  @Test
  void deletingWithAGatewayTakesOneHopAndWithoutTakesAll() {
    socket.perform(
        Routes.add(
            Route.to(prefix(DESTINATION))
                .multipath(
                    NextHop.via(ip("fd00::2")),
                    NextHop.via(ip("fd00::3")),
                    NextHop.via(ip("fd00::4")))));

    socket.perform(Routes.delete(route.via(ip("fd00::3"))));
    assertThat(gateways()).containsExactlyInAnyOrder("fd00::2", "fd00::4");
    socket.perform(Routes.delete(Route.to(prefix(DESTINATION))));
    assertThat(listed()).isEmpty();
  }

  @Test
  void replacingTakesAllHopsOfAMultipathRoute() {
    socket.perform(
        Routes.add(
            Route.to(prefix(DESTINATION))
                .multipath(NextHop.via(ip("fd00::2")), NextHop.via(ip("fd00::3")))));

    socket.perform(Routes.replace(route.via(ip("fd00::4"))));

    assertThat(gateways()).containsExactly("fd00::4");
  }

  @Test
  void deletingDoesNotLookAtTheType() {
    socket.perform(Routes.add(Route.of(RouteType.BLACKHOLE, prefix(DESTINATION))));

    socket.perform(Routes.delete(Route.to(prefix(DESTINATION))));

    assertThat(listed()).isEmpty();
  }

  @Test
  void aRouteThatRefusesIsReportedOnLoopback() {
    socket.perform(Routes.add(Route.of(RouteType.BLACKHOLE, prefix(DESTINATION))));

    assertThat(listed())
        .singleElement()
        .satisfies(one -> assertThat(one.device()).contains(net.device("lo")));
  }

  @Test
  void aLinkLocalGatewayNeedsADevice() {
    Route viaLinkLocal = Route.to(prefix("::/0")).via(ip("fe80::1"));

    assertThatThrownBy(() -> socket.perform(Routes.add(viaLinkLocal)))
        .hasMessageStartingWith("add route ::/0 via fe80::1: ");
    socket.perform(Routes.add(viaLinkLocal.dev(eth0)));
  }

  @Test
  void aSourceMustBePastItsDuplicateDetection() {
    Address source = Address.of(prefix("fd00::7/64"), eth0);
    Route from = route.source(ip("fd00::7"));

    assertThatThrownBy(() -> socket.perform(Addresses.add(source), Routes.add(from)))
        .hasMessage(
            "add route fd09::/48 dev eth0 src fd00::7: Invalid argument (EINVAL): "
                + "Invalid source address");

    socket.perform(Addresses.delete(source), Addresses.add(source.nodad()), Routes.add(from));
    assertThat(listed())
        .singleElement()
        .satisfies(one -> assertThat(one.source()).isEqualTo(ip("fd00::7")));
  }

  private List<Route> listed() {
    return socket.list(Routes.list(RouteFilter.main(IpFamily.V6))).stream()
        .filter(one -> one.destination().equals(prefix(DESTINATION)))
        .toList();
  }

  private List<String> gateways() {
    return listed().stream()
        .flatMap(one -> one.hops().stream())
        .map(hop -> String.valueOf(hop.gateway()))
        .toList();
  }
}
