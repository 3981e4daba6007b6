package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Hosts
class RouteListTest {
  private static final int RTM_GETROUTE = 26;

  private TestNet net;
  private NetlinkSocket socket;
  private Device eth0;
  private Device eth1;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
    eth0 = net.link("eth0");
    eth1 = net.link("eth1");
    socket.perform(
        Routes.add(Route.to(prefix("10.0.0.0/24")).dev(eth0)),
        Routes.add(Route.to(prefix("10.1.0.0/24")).dev(eth1)),
        Routes.add(Route.to(prefix("10.2.0.0/24")).dev(eth1).protocol(RouteProtocol.BIRD)),
        Routes.add(Route.to(prefix("10.3.0.0/24")).dev(eth1).table(1000)),
        Routes.add(Route.of(RouteType.BLACKHOLE, prefix("10.4.0.0/24"))),
        Routes.add(
            Route.to(prefix("10.5.0.0/24"))
                .multipath(NextHop.via(ip("10.0.0.2")), NextHop.via(ip("10.1.0.2")))),
        Routes.add(Route.to(prefix("fd00::/64")).dev(eth0)),
        Routes.add(Route.to(prefix("fd01::/64")).dev(eth1)),
        Routes.add(Route.to(prefix("fd02::/64")).dev(eth1).protocol(RouteProtocol.BIRD)),
        Routes.add(Route.to(prefix("fd03::/64")).dev(eth1).table(1000)),
        Routes.add(Route.of(RouteType.BLACKHOLE, prefix("fd04::/64"))),
        Routes.add(
            Route.to(prefix("fd05::/64"))
                .multipath(
                    NextHop.via(ip("fd00::2")).dev(eth0), NextHop.via(ip("fd01::2")).dev(eth1))));
  }

  @AfterEach
  void close() {
    net.close();
  }

  @Test
  void theMainTableOfAFamily() {
    assertThat(listed(RouteFilter.main(IpFamily.V4)))
        .containsExactlyInAnyOrder(
            "10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/24", "10.4.0.0/24", "10.5.0.0/24");
    assertThat(listed(RouteFilter.main(IpFamily.V6)))
        .containsExactlyInAnyOrder("fd00::/64", "fd01::/64", "fd02::/64", "fd04::/64", "fd05::/64");
  }

  @Test
  void allTablesOfAFamily() {
    assertThat(listed(RouteFilter.all(IpFamily.V4)))
        .contains("10.0.0.0/24", "10.3.0.0/24", "127.0.0.1/32");
    assertThat(listed(RouteFilter.all(IpFamily.V6))).contains("fd00::/64", "fd03::/64", "::1/128");
  }

  @Test
  void byDeviceAlsoWhenItIsOneOfSeveral() {
    assertThat(listed(RouteFilter.all(IpFamily.V4).dev(eth1)))
        .containsExactlyInAnyOrder("10.1.0.0/24", "10.2.0.0/24", "10.3.0.0/24", "10.5.0.0/24");
    assertThat(listed(RouteFilter.all(IpFamily.V6).dev(eth1)))
        .contains("fd01::/64", "fd02::/64", "fd03::/64", "fd05::/64")
        .doesNotContain("fd00::/64", "fd04::/64", "::1/128");
  }

  @Test
  void byTableProtocolAndType() {
    assertThat(listed(RouteFilter.all(IpFamily.V4).table(1000))).containsExactly("10.3.0.0/24");
    assertThat(listed(RouteFilter.all(IpFamily.V6).table(1000))).containsExactly("fd03::/64");
    assertThat(listed(RouteFilter.all(IpFamily.V4).protocol(RouteProtocol.BIRD)))
        .containsExactly("10.2.0.0/24");
    assertThat(listed(RouteFilter.all(IpFamily.V6).protocol(RouteProtocol.BIRD)))
        .containsExactly("fd02::/64");
    assertThat(listed(RouteFilter.all(IpFamily.V4).type(RouteType.BLACKHOLE)))
        .containsExactly("10.4.0.0/24");
    assertThat(listed(RouteFilter.all(IpFamily.V6).type(RouteType.BLACKHOLE)))
        .containsExactly("fd04::/64");
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void aTableThatDoesNotExistIsEmpty(IpFamily family) {
    assertThat(socket.list(Routes.list(RouteFilter.all(family).table(31337)))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void theKernelItselfFilters(IpFamily family) {
    assertThat(answers(RouteFilter.all(family).table(1000))).isEqualTo(1);
    assertThat(answers(RouteFilter.all(family).protocol(RouteProtocol.BIRD))).isEqualTo(1);
    assertThat(answers(RouteFilter.main(family).dev(eth1))).isEqualTo(3);
    assertThat(answers(RouteFilter.main(family).type(RouteType.BLACKHOLE))).isEqualTo(1);
  }

  private int answers(RouteFilter filter) {
    return socket
        .list(Raw.answers(RTM_GETROUTE, out -> RouteMessage.writeFilter(out, filter)))
        .size();
  }

  private List<String> listed(RouteFilter filter) {
    return socket.list(Routes.list(filter)).stream()
        .map(route -> route.destination().toString())
        .toList();
  }
}
