package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class RoutesTest {
  private TestNet net;
  private NetlinkSocket socket;
  private Device eth0;

  @BeforeEach
  void open(Host host) {
    net = TestNet.of(host);
    socket = net.socket();
    eth0 = net.link("eth0");
    socket.perform(
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()));
  }

  @AfterEach
  void close() {
    net.close();
  }

  @ParameterizedTest
  @CsvSource({
    "10.9.0.0/16, 10.0.0.2",
    "0.0.0.0/0, 10.0.0.2",
    "fd09::/48, fd00::2",
    "::/0, fd00::2"
  })
  void addsARouteViaAGateway(String destination, String gateway, Host host) {
    socket.perform(Routes.add(Route.to(prefix(destination)).via(ip(gateway)).dev(eth0)));

    JsonNode shown = shown(host, destination);
    assertThat(shown.get("gateway").asString()).isEqualTo(gateway);
    assertThat(shown.get("dev").asString()).isEqualTo("eth0");
    assertThat(shown.path("protocol").asString("boot")).isEqualTo("boot");
    assertThat(shown.path("scope").asString("global")).isEqualTo("global");
  }

  @ParameterizedTest
  @CsvSource({"10.9.0.0/16, link", "fd09::/48, global"})
  void aRouteWithoutAGatewayHasLinkScopeWhereThereAreScopes(
      String destination, String scope, Host host) {
    socket.perform(Routes.add(Route.to(prefix(destination)).dev(eth0)));

    assertThat(shown(host, destination).path("scope").asString("global")).isEqualTo(scope);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void theDeviceFollowsFromTheGateway(String gateway) {
    IpFamily family = IpFamily.of(ip(gateway));
    socket.perform(Routes.add(Route.to(all(family)).via(ip(gateway))));

    assertThat(route(all(family).toString()).device()).contains(eth0);
  }

  @Test
  void everyDetailOfAnIpv4RouteArrives(Host host) {
    Route route =
        Route.to(prefix("10.9.0.0/16"))
            .via(ip("10.7.7.7"))
            .dev(eth0)
            .onlink()
            .source(ip("10.0.0.1"))
            .scope(Scope.SITE)
            .protocol(RouteProtocol.BIRD)
            .table(4242)
            .metric(33)
            .lockedMtu(1400)
            .advmss(1300);

    socket.perform(Routes.add(route));

    JsonNode shown = host.json("ip", "-j", "-d", "route", "show", "table", "4242").get(0);
    assertThat(shown.get("gateway").asString()).isEqualTo("10.7.7.7");
    assertThat(shown.get("flags").toString()).contains("onlink");
    assertThat(shown.get("prefsrc").asString()).isEqualTo("10.0.0.1");
    assertThat(shown.get("scope").asString()).isEqualTo("site");
    assertThat(shown.get("protocol").asString()).isEqualTo("bird");
    assertThat(shown.get("metric").asInt()).isEqualTo(33);
    assertThat(host.exec("ip", "route", "show", "table", "4242").stdout())
        .contains("mtu lock 1400 advmss 1300");
    assertThat(socket.list(Routes.list(RouteFilter.all(IpFamily.V4).table(4242))))
        .containsExactly(route);
  }

  @Test
  void everyDetailOfAnIpv6RouteArrives(Host host) {
    Route route =
        Route.to(prefix("fd09::/48"))
            .via(ip("fd77::7"))
            .dev(eth0)
            .onlink()
            .source(ip("fd00::1"))
            .protocol(RouteProtocol.STATIC)
            .table(70000)
            .metric(33)
            .lockedMtu(1400)
            .advmss(1300);

    socket.perform(Routes.add(route));

    JsonNode shown = host.json("ip", "-j", "-d", "-6", "route", "show", "table", "70000").get(0);
    assertThat(shown.get("gateway").asString()).isEqualTo("fd77::7");
    assertThat(shown.get("flags").toString()).contains("onlink");
    assertThat(shown.get("prefsrc").asString()).isEqualTo("fd00::1");
    assertThat(shown.get("protocol").asString()).isEqualTo("static");
    assertThat(shown.get("metric").asInt()).isEqualTo(33);
    assertThat(host.exec("ip", "-6", "route", "show", "table", "70000").stdout())
        .contains("mtu lock 1400 advmss 1300");
    assertThat(socket.list(Routes.list(RouteFilter.all(IpFamily.V6).table(70000))))
        .containsExactly(route.scope(Scope.UNIVERSE));
  }

  @Test
  void anIpv4RouteMayHaveAnIpv6Gateway(Host host) {
    Route route = Route.to(prefix("0.0.0.0/0")).via(ip("fd00::2")).dev(eth0);

    socket.perform(Routes.add(route));

    JsonNode via = host.json("ip", "-j", "route", "show", "default").get(0).get("via");
    assertThat(via.get("family").asString()).isEqualTo("inet6");
    assertThat(via.get("host").asString()).isEqualTo("fd00::2");
    assertThat(route("0.0.0.0/0").gateway()).contains(ip("fd00::2"));
    socket.perform(Routes.delete(route));
    assertThat(host.json("ip", "-j", "route", "show", "default")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "blackhole, 10.9.0.0/16",
    "unreachable, 10.9.0.0/16",
    "prohibit, 10.9.0.0/16",
    "throw, 10.9.0.0/16",
    "blackhole, fd09::/48",
    "unreachable, fd09::/48",
    "prohibit, fd09::/48",
    "throw, fd09::/48"
  })
  void aRouteMayRefuse(String type, String destination, Host host) {
    Route route = Route.of(type(type), prefix(destination));

    socket.perform(Routes.add(route));

    JsonNode shown = shown(host, destination);
    assertThat(shown.get("type").asString()).isEqualTo(type);
    assertThat(route(destination).type()).isEqualTo(route.type());
    socket.perform(Routes.delete(route));
    assertThat(routes(IpFamily.of(route.destination().address())))
        .noneMatch(one -> one.destination().equals(route.destination()));
  }

  @ParameterizedTest
  @CsvSource({"10.9.0.0/16, 4", "fd09::/48, 6"})
  void aLocalRouteTakesAWholeSubnetIn(String destination, String family, Host host) {
    socket.perform(
        Routes.add(
            Route.of(RouteType.LOCAL, prefix(destination))
                .dev(net.device("lo"))
                .table(RouteTable.LOCAL)));

    assertThat(host.exec("ip", "-" + family, "route", "show", "table", "local").stdout())
        .contains("local " + destination + " dev lo");
    host.exec("ping", "-c1", "-W5", prefix(destination).last().previous().toString());
  }

  @Test
  void multipathRoutesSpreadOverTheirHops(Host host) {
    Route v4 =
        Route.to(prefix("10.9.0.0/16"))
            .multipath(
                NextHop.via(ip("10.0.0.2")).dev(eth0).weight(3),
                NextHop.via(ip("10.7.7.7")).dev(eth0).asOnlink(),
                NextHop.via(ip("fd00::2")).dev(eth0).weight(256));
    Route v6 =
        Route.to(prefix("fd09::/48"))
            .multipath(NextHop.via(ip("fd00::2")).dev(eth0).weight(2), NextHop.via(ip("fd00::3")));

    socket.perform(Routes.add(v4), Routes.add(v6));

    assertThat(host.exec("ip", "route", "show", "10.9.0.0/16").stdout())
        .contains("nexthop via 10.0.0.2 dev eth0 weight 3")
        .contains("nexthop via 10.7.7.7 dev eth0 weight 1 onlink")
        .contains("nexthop via inet6 fd00::2 dev eth0 weight 256");
    assertThat(host.exec("ip", "-6", "route", "show", "fd09::/48").stdout())
        .contains("nexthop via fd00::2 dev eth0 weight 2")
        .contains("nexthop via fd00::3 dev eth0 weight 1");
    assertThat(route("10.9.0.0/16").hops()).isEqualTo(v4.hops());
    assertThat(route("fd09::/48").hops())
        .containsExactly(v6.hops().get(0), v6.hops().get(1).dev(eth0));
    socket.perform(Routes.delete(v4), Routes.delete(v6));
    assertThat(host.json("ip", "-j", "route", "show", "10.9.0.0/16")).isEmpty();
    assertThat(host.json("ip", "-j", "-6", "route", "show", "fd09::/48")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"10.9.0.0/16, 10.0.0.2, 10.0.0.3", "fd09::/48, fd00::2, fd00::3"})
  void replacesTheRouteOfTheSameMetric(String destination, String one, String two, Host host) {
    Route route = Route.to(prefix(destination)).dev(eth0);
    socket.perform(Routes.replace(route.via(ip(one)).metric(5)));
    socket.perform(Routes.replace(route.via(ip(two)).metric(5)));
    socket.perform(Routes.replace(route.via(ip(one)).metric(6)));

    String family = destination.contains(":") ? "-6" : "-4";
    assertThat(host.exec("ip", family, "route", "show", destination).stdout().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("via " + two).contains("metric 5"),
            line -> assertThat(line).contains("via " + one).contains("metric 6"));
  }

  @ParameterizedTest
  @CsvSource({"10.9.0.0/16, 10.0.0.2, 10.0.0.3", "fd09::/48, fd00::2, fd00::3"})
  void addingIsExclusivePerDestinationAndMetric(String destination, String one, String two) {
    Route route = Route.to(prefix(destination)).dev(eth0);
    socket.perform(Routes.add(route.via(ip(one))));

    assertThatThrownBy(() -> socket.perform(Routes.add(route.via(ip(two)))))
        .hasMessageStartingWith(
            "add route " + destination + " via " + two + " dev eth0: File exists (EEXIST)");
    socket.perform(Routes.add(route.via(ip(two)).metric(7)));
    socket.perform(Routes.add(route.via(ip(two)).table(7)));
  }

  @Test
  void ipv4KeepsAListOfRoutesToOneDestination() {
    Route route = Route.to(prefix("10.9.0.0/16")).dev(eth0);
    socket.perform(
        Routes.add(route.via(ip("10.0.0.2"))),
        Routes.append(route.via(ip("10.0.0.3"))),
        Routes.prepend(route.via(ip("10.0.0.4"))));

    assertThat(gateways(IpFamily.V4, "10.9.0.0/16"))
        .containsExactly("10.0.0.4", "10.0.0.2", "10.0.0.3");
    assertThatThrownBy(() -> socket.perform(Routes.append(route.via(ip("10.0.0.2")))))
        .hasMessageContaining("(EEXIST)");

    socket.perform(Routes.delete(route.via(ip("10.0.0.2"))));
    assertThat(gateways(IpFamily.V4, "10.9.0.0/16")).containsExactly("10.0.0.4", "10.0.0.3");
    socket.perform(Routes.delete(Route.to(prefix("10.9.0.0/16"))));
    assertThat(gateways(IpFamily.V4, "10.9.0.0/16")).containsExactly("10.0.0.3");
  }

  @Test
  void deletingLooksOnlyAtWhatIsSaid() {
    Route route = Route.to(prefix("10.9.0.0/16")).via(ip("10.0.0.2")).dev(eth0);
    socket.perform(
        Routes.add(route.protocol(RouteProtocol.BIRD).scope(Scope.SITE).source(ip("10.0.0.1"))));

    for (Route other :
        List.of(
            route.protocol(RouteProtocol.DHCP),
            route.scope(Scope.LINK),
            route.metric(5),
            route.table(100),
            route.via(ip("10.0.0.3")),
            route.mtu(1400),
            Route.of(RouteType.BLACKHOLE, route.destination()))) {
      assertThatThrownBy(() -> socket.perform(Routes.delete(other)))
          .isInstanceOfSatisfying(
              NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ESRCH))
          .hasMessageStartingWith("delete route " + other + ": No such process (ESRCH)");
    }
    socket.perform(Routes.delete(Route.to(prefix("10.9.0.0/16"))));
    assertThat(gateways(IpFamily.V4, "10.9.0.0/16")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(IpFamily.class)
  void whatIsListedCanBeDeletedAndAddedAgain(IpFamily family, Host host) {
    boolean v4 = family == IpFamily.V4;
    socket.perform(
        Routes.add(
            Route.to(prefix(v4 ? "10.9.0.0/16" : "fd09::/48"))
                .via(ip(v4 ? "10.0.0.2" : "fd00::2"))
                .mtu(1400)),
        Routes.add(Route.of(RouteType.BLACKHOLE, prefix(v4 ? "10.8.0.0/16" : "fd08::/48"))),
        Routes.add(
            Route.to(prefix(v4 ? "10.6.0.0/16" : "fd06::/48"))
                .metric(9)
                .multipath(
                    NextHop.via(ip(v4 ? "10.0.0.2" : "fd00::2")),
                    NextHop.via(ip(v4 ? "10.0.0.3" : "fd00::3")))));
    String before = host.exec("ip", "-d", v4 ? "-4" : "-6", "route").stdout();
    List<Route> listed = socket.list(Routes.list(RouteFilter.main(family)));

    socket.perform(listed.stream().map(Routes::delete).toList());
    assertThat(socket.list(Routes.list(RouteFilter.main(family)))).isEmpty();
    socket.perform(listed.stream().map(Routes::add).toList());

    assertThat(host.exec("ip", "-d", v4 ? "-4" : "-6", "route").stdout()).isEqualTo(before);
  }

  @Test
  void hostBitsOfADestinationAreDropped(Host host) {
    socket.perform(
        Routes.add(Route.to(prefix("10.9.1.2/16")).dev(eth0)),
        Routes.add(Route.to(prefix("fd09::1/48")).dev(eth0)));

    assertThat(shown(host, "10.9.0.0/16").get("dev").asString()).isEqualTo("eth0");
    assertThat(shown(host, "fd09::/48").get("dev").asString()).isEqualTo("eth0");
  }

  @Test
  void aLargeTableNumberIsKeptWhole(Host host) {
    int table = (int) 4_000_000_000L;
    Route route = Route.to(prefix("10.9.0.0/16")).dev(eth0).table(table);

    socket.perform(Routes.add(route));

    assertThat(host.exec("ip", "route", "show", "table", "4000000000").stdout())
        .contains("10.9.0.0/16 dev eth0");
    assertThat(route).hasToString("10.9.0.0/16 dev eth0 table 4000000000");
    assertThat(socket.list(Routes.list(RouteFilter.all(IpFamily.V4).table(table)))).hasSize(1);
  }

  private Route route(String destination) {
    return routes(IpFamily.of(prefix(destination).address())).stream()
        .filter(one -> one.destination().equals(prefix(destination)))
        .findFirst()
        .orElseThrow();
  }

  private List<Route> routes(IpFamily family) {
    return socket.list(Routes.list(RouteFilter.main(family)));
  }

  private List<String> gateways(IpFamily family, String destination) {
    return routes(family).stream()
        .filter(one -> one.destination().equals(prefix(destination)))
        .map(one -> one.gateway().orElseThrow().toString())
        .toList();
  }

  private static IpPrefix all(IpFamily family) {
    return prefix(family == IpFamily.V4 ? "0.0.0.0/0" : "::/0");
  }

  private static RouteType type(String name) {
    return switch (name) {
      case "blackhole" -> RouteType.BLACKHOLE;
      case "unreachable" -> RouteType.UNREACHABLE;
      case "prohibit" -> RouteType.PROHIBIT;
      case "throw" -> RouteType.THROW;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static JsonNode shown(Host host, String destination) {
    String family = destination.contains(":") ? "-6" : "-4";
    JsonNode routes = host.json("ip", "-j", "-d", family, "route", "show", destination);
    assertThat(routes).hasSize(1);
    return routes.get(0);
  }
}
