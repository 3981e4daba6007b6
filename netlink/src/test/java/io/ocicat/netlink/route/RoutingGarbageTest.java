package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Garbage;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever the bytes, every reader ends with a value or a clean exception. */
@Hosts
class RoutingGarbageTest {
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
  void addresses() {
    socket.perform(
        Addresses.add(
            Address.of(prefix("10.0.0.1/24"), eth0)
                .subnetBroadcast()
                .label("eth0:1")
                .lifetime(new Lifetime(100, 200))
                .metric(7)),
        Addresses.add(Address.of(prefix("fd00::1/128"), eth0).peer(ip("fd00::2")).nodad()));

    check(socket.list(Raw.answers(22, out -> out.zeros(8))), AddressMessage::read);
  }

  @Test
  void routes() {
    socket.perform(
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()),
        Routes.add(
            Route.to(prefix("10.9.0.0/16"))
                .source(ip("10.0.0.1"))
                .lockedMtu(1400)
                .advmss(1300)
                .multipath(NextHop.via(ip("10.0.0.2")), NextHop.via(ip("fd00::2")).dev(eth0))),
        Routes.add(
            Route.to(prefix("fd09::/48"))
                .metric(7)
                .multipath(NextHop.via(ip("fd00::2")), NextHop.via(ip("fd00::3")))));
    List<NetlinkMessage> real = new ArrayList<>();
    for (IpFamily family : IpFamily.values()) {
      real.addAll(
          socket.list(
              Raw.answers(26, out -> RouteMessage.writeFilter(out, RouteFilter.main(family)))));
    }

    check(real, RouteMessage::read);
  }

  @Test
  void rules() {
    socket.perform(
        RoutingRules.add(
            RoutingRule.of(IpFamily.V4)
                .priority(1)
                .from(prefix("10.0.0.0/8"))
                .to(prefix("10.1.0.0/16"))
                .mark(new Fwmark(1, 3))
                .iif("lo")
                .oif("eth0")
                .lookup(1000)
                .suppressPrefixLength(0)),
        RoutingRules.add(
            RoutingRule.of(IpFamily.V6).priority(1).action(new RuleAction.GoTo(32766))));

    check(socket.list(Raw.answers(34, out -> out.zeros(12))), RoutingRuleMessage::read);
  }

  @Test
  void neighbours() {
    MacAddress mac = MacAddress.parse("02:00:5e:10:00:01");
    socket.perform(
        Neighbours.add(Neighbour.permanent(eth0, ip("10.0.0.2"), mac)),
        Neighbours.add(Neighbour.permanent(eth0, ip("fd00::2"), mac).asRouter()));

    check(socket.list(Raw.answers(30, out -> out.zeros(12))), NeighbourMessage::read);
  }

  private static void check(List<NetlinkMessage> real, Function<NetlinkMessage, ?> read) {
    assertThat(real).hasSizeGreaterThan(1);
    Garbage.feed(real, read);
  }
}
