package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The errors that an operator reads when a route cannot be added. */
@Hosts
class RouteErrorsTest {
  private TestNet net;
  private NetlinkSocket socket;
  private Device eth0;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
    eth0 = net.link("eth0");
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void anUnreachableGatewayIsReportedWithRouteDeviceNameAndErrno() {
    Route route = Route.to(prefix("0.0.0.0/0")).via(ip("169.254.1.1")).dev(eth0);

    assertThatThrownBy(() -> socket.perform(Routes.add(route)))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENETUNREACH))
        .hasMessageStartingWith(
            "add route 0.0.0.0/0 via 169.254.1.1 dev eth0: Network is unreachable (ENETUNREACH)")
        .hasMessageEndingWith("(ENETUNREACH): Nexthop has invalid gateway");
  }

  @Test
  void aDeviceWhoseNameIsUnknownIsReportedByItsIndex() {
    Route route = Route.to(prefix("0.0.0.0/0")).via(ip("169.254.1.1")).dev(Device.of(eth0.index()));

    assertThatThrownBy(() -> socket.perform(Routes.add(route)))
        .hasMessageStartingWith(
            "add route 0.0.0.0/0 via 169.254.1.1 dev " + eth0.index() + ": Network is unreachable");
  }

  @Test
  void theSameForIpv6() {
    Route route = Route.to(prefix("::/0")).via(ip("2001:db8::1")).dev(eth0);

    assertThatThrownBy(() -> socket.perform(Routes.add(route)))
        .hasMessageStartingWith("add route ::/0 via 2001:db8::1 dev eth0: No route to host");
  }

  @Test
  void aLinkThatIsDownIsNamed(Host host) {
    host.exec("ip", "link", "set", "eth0", "down");

    assertThatThrownBy(() -> socket.perform(Routes.add(Route.to(prefix("10.0.0.0/8")).dev(eth0))))
        .hasMessage(
            "add route 10.0.0.0/8 dev eth0: Network is down (ENETDOWN): "
                + "Device for nexthop is not up");
    assertThatThrownBy(() -> socket.perform(Routes.add(Route.to(prefix("fd00::/64")).dev(eth0))))
        .hasMessageStartingWith("add route fd00::/64 dev eth0: Network is down (ENETDOWN)");
  }

  @Test
  void aMissingLinkIsNamed() {
    Device gone = Device.of(4711, "eth7");

    assertThatThrownBy(() -> socket.perform(Routes.add(Route.to(prefix("10.0.0.0/8")).dev(gone))))
        .hasMessageStartingWith("add route 10.0.0.0/8 dev eth7: No such device (ENODEV)");
    assertThatThrownBy(() -> socket.perform(Routes.add(Route.to(prefix("fd00::/64")).dev(gone))))
        .hasMessageStartingWith("add route fd00::/64 dev eth7: No such device (ENODEV)");
    assertThatThrownBy(() -> socket.list(Routes.list(RouteFilter.main(IpFamily.V4).dev(gone))))
        .hasMessageStartingWith("list IPv4 routes dev eth7 table main: No such device (ENODEV)");
  }

  @Test
  void aSourceThatIsNotOursIsRefused() {
    socket.perform(Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)));

    assertThatThrownBy(
            () ->
                socket.perform(
                    Routes.add(Route.to(prefix("10.9.0.0/16")).dev(eth0).source(ip("10.0.0.99")))))
        .hasMessage(
            "add route 10.9.0.0/16 dev eth0 src 10.0.0.99: Invalid argument (EINVAL): "
                + "Invalid prefsrc address");
  }

  @Test
  void everyPartOfARouteIsInItsText() {
    Route route =
        Route.to(prefix("10.9.0.0/16"))
            .via(ip("10.0.0.2"))
            .dev(eth0)
            .onlink()
            .source(ip("10.0.0.1"))
            .scope(Scope.SITE)
            .protocol(RouteProtocol.STATIC)
            .table(100)
            .metric(5)
            .lockedMtu(1400)
            .advmss(1360);

    assertThat(Routes.replace(route).operation())
        .isEqualTo(
            "replace route 10.9.0.0/16 via 10.0.0.2 dev eth0 onlink src 10.0.0.1 scope site "
                + "proto static table 100 metric 5 mtu lock 1400 advmss 1360");
    assertThat(Routes.append(Route.of(RouteType.BLACKHOLE, prefix("fd00::/64"))).operation())
        .isEqualTo("append route blackhole fd00::/64");
    assertThat(
            Routes.delete(
                    Route.to(prefix("10.9.0.0/16"))
                        .multipath(NextHop.via(ip("10.0.0.2")), NextHop.on(eth0).weight(2)))
                .operation())
        .isEqualTo(
            "delete route 10.9.0.0/16 nexthop via 10.0.0.2 weight 1 nexthop dev eth0 weight 2");
  }

  @Test
  void whatCannotBeIsRefusedBeforeItIsSent() {
    Route v6 = Route.to(prefix("fd00::/64"));
    IpAddress v4Gateway = ip("10.0.0.1");

    assertThatThrownBy(() -> v6.via(v4Gateway))
        .hasMessage("route fd00::/64 cannot go via 10.0.0.1: an IPv6 route needs an IPv6 gateway");
    assertThatThrownBy(() -> v6.source(v4Gateway))
        .hasMessage("route fd00::/64 cannot have the source 10.0.0.1: not the same family");
    assertThatThrownBy(() -> v6.metric(-1))
        .hasMessage("the metric of route fd00::/64 must be 0–4294967295, not -1");
    assertThatThrownBy(() -> v6.mtu(-1))
        .hasMessage("a route's mtu and advmss are at least 0, not -1 and 0");
    assertThatThrownBy(() -> NextHop.on(eth0).weight(257))
        .hasMessage("a next hop's weight is 1–256, not 257");
    assertThatThrownBy(() -> v6.multipath(NextHop.on(eth0), NextHop.on(eth0)).dev(eth0))
        .hasMessage(
            "route fd00::/64 has 2 next hops: say each one's gateway and device with multipath");
    assertThatThrownBy(() -> RouteLookup.to(ip("fd00::1")).from(v4Gateway))
        .hasMessage("no route leads from 10.0.0.1 to fd00::1: not the same family");
    assertThatThrownBy(() -> new Scope(256)).hasMessage("a scope is 0–255, not 256");
    assertThatThrownBy(() -> new RouteProtocol(-1))
        .hasMessage("a route's protocol is 0–255, not -1");
    assertThatThrownBy(() -> new RouteType(256)).hasMessage("a route's type is 0–255, not 256");
  }
}
