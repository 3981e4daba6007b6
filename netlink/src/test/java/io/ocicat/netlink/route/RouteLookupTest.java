package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Hosts
class RouteLookupTest {
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
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("10.1.0.1/24"), eth1)),
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()),
        Addresses.add(Address.of(prefix("fd01::1/64"), eth1).nodad()),
        Routes.add(Route.to(prefix("10.9.0.0/16")).via(ip("10.0.0.2"))),
        Routes.add(Route.to(prefix("10.9.0.0/16")).via(ip("10.1.0.2")).table(300)),
        RoutingRules.add(RoutingRule.of(IpFamily.V4).priority(5).mark(Fwmark.of(7)).lookup(300)),
        Routes.add(Route.to(prefix("fd09::/48")).via(ip("fd00::2"))),
        Routes.add(Route.to(prefix("fd09::/48")).via(ip("fd01::2")).table(300)),
        RoutingRules.add(RoutingRule.of(IpFamily.V6).priority(5).mark(Fwmark.of(7)).lookup(300)));
  }

  @AfterEach
  void close() {
    net.close();
  }

  @ParameterizedTest
  @CsvSource({"10.9.1.1, 10.0.0.2, 10.0.0.1", "fd09::1, fd00::2, fd00::1"})
  void tellsGatewayDeviceAndSource(String destination, String gateway, String source, Host host) {
    Route found = socket.find(Routes.lookup(RouteLookup.to(ip(destination)))).orElseThrow();

    assertThat(found.gateway()).contains(ip(gateway));
    assertThat(found.device()).contains(eth0);
    assertThat(found.source()).isEqualTo(ip(source));
    assertThat(found.table()).isEqualTo(RouteTable.MAIN);
    assertThat(host.json("ip", "-j", "route", "get", destination).get(0).get("gateway").asString())
        .isEqualTo(gateway);
  }

  @ParameterizedTest
  @CsvSource({"10.9.1.1, 10.1.0.2", "fd09::1, fd01::2"})
  void followsTheMark(String destination, String gateway) {
    Route found = socket.find(Routes.lookup(RouteLookup.to(ip(destination)).mark(7))).orElseThrow();

    assertThat(found.gateway()).contains(ip(gateway));
    assertThat(found.device()).contains(eth1);
    assertThat(found.table()).isEqualTo(300);
  }

  @ParameterizedTest
  @CsvSource({"10.9.1.1, 10.1.0.55, ipv4", "fd09::1, fd01::55, ipv6"})
  void followsAPacketThatIsForwarded(String destination, String source, String family, Host host) {
    host.exec("sysctl", "-w", "net." + family + ".conf.all.forwarding=1");

    Route found =
        socket
            .find(Routes.lookup(RouteLookup.to(ip(destination)).from(ip(source)).iif(eth1)))
            .orElseThrow();

    assertThat(found.device()).contains(eth0);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.77", "fd00::77"})
  void mayBeBoundToADevice(String destination) {
    Route found =
        socket.find(Routes.lookup(RouteLookup.to(ip(destination)).oif(eth0))).orElseThrow();

    assertThat(found.device()).contains(eth0);
    assertThat(found.gateway()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1", "fd00::1"})
  void anAddressOfThisHostIsLocal(String address) {
    // The kernel adds the local route of an IPv6 address a moment later, from a queue of its own.
    Eventually.passes(
        Duration.ofSeconds(10),
        () -> {
          Route found = socket.find(Routes.lookup(RouteLookup.to(ip(address)))).orElseThrow();
          assertThat(found.type()).isEqualTo(RouteType.LOCAL);
          assertThat(found.table()).isEqualTo(RouteTable.LOCAL);
        });
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.1", "2001:db8::1"})
  void noRouteIsNoAnswer(String destination) {
    assertThat(socket.find(Routes.lookup(RouteLookup.to(ip(destination))))).isEmpty();
    assertThat(socket.list(Routes.lookup(RouteLookup.to(ip(destination))))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.0/24, 192.0.2.1", "2001:db8::/32, 2001:db8::1"})
  void aRouteThatRefusesIsAnError(String destination, String address) {
    NetlinkQuery<Route> lookup = Routes.lookup(RouteLookup.to(ip(address)));

    socket.perform(Routes.replace(Route.of(RouteType.PROHIBIT, prefix(destination))));
    assertThatThrownBy(() -> socket.find(lookup))
        .hasMessage("look up the route to " + address + ": Permission denied (EACCES)");
    socket.perform(Routes.replace(Route.of(RouteType.UNREACHABLE, prefix(destination))));
    assertThatThrownBy(() -> socket.find(lookup))
        .hasMessage("look up the route to " + address + ": No route to host (EHOSTUNREACH)");
    socket.perform(Routes.replace(Route.of(RouteType.BLACKHOLE, prefix(destination))));
    assertThatThrownBy(() -> socket.find(lookup))
        .hasMessage("look up the route to " + address + ": Invalid argument (EINVAL)");
  }

  @Test
  void theQuestionIsInTheError() {
    RouteLookup lookup =
        RouteLookup.to(ip("10.9.1.1"))
            .from(ip("10.1.0.55"))
            .iif(Device.of(4711, "eth7"))
            .mark(0x10);

    assertThat(lookup).hasToString("10.9.1.1 from 10.1.0.55 iif eth7 mark 0x10");
    assertThat(lookup.oif(eth0)).hasToString("10.9.1.1 from 10.1.0.55 iif eth7 oif eth0 mark 0x10");
    assertThat(socket.find(Routes.lookup(lookup))).isEmpty();
  }
}
