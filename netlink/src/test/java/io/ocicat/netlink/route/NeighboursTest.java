package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
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
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class NeighboursTest {
  private static final MacAddress MAC = MacAddress.parse("02:00:5e:10:00:01");
  private static final MacAddress OTHER_MAC = MacAddress.parse("02:00:5e:10:00:02");

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

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void addsAPermanentEntry(String address, Host host) {
    Neighbour neighbour = Neighbour.permanent(eth0, ip(address), MAC);

    socket.perform(Neighbours.add(neighbour));

    JsonNode shown = shown(host).get(0);
    assertThat(shown.get("dst").asString()).isEqualTo(address);
    assertThat(shown.get("lladdr").asString()).isEqualTo(MAC.toString());
    assertThat(shown.get("state").toString()).isEqualTo("[\"PERMANENT\"]");
    assertThat(entries(Neighbours.list(eth0))).containsExactly(neighbour);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void addingTwiceFailsAndReplacingDoesNot(String address, Host host) {
    socket.perform(Neighbours.replace(Neighbour.permanent(eth0, ip(address), MAC)));

    Neighbour other = Neighbour.permanent(eth0, ip(address), OTHER_MAC);
    assertThatThrownBy(() -> socket.perform(Neighbours.add(other)))
        .hasMessageStartingWith(
            "add neighbour %s lladdr %s dev eth0 permanent: File exists (EEXIST)"
                .formatted(address, OTHER_MAC));
    socket.perform(Neighbours.replace(other));

    assertThat(shown(host).get(0).get("lladdr").asString()).isEqualTo(OTHER_MAC.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void deletesAnEntry(String address, Host host) {
    Neighbour neighbour = Neighbour.permanent(eth0, ip(address), MAC);
    socket.perform(Neighbours.add(neighbour));

    socket.perform(Neighbours.delete(neighbour));

    assertThat(host.exec("ip", "neighbour", "show", "nud", "permanent").stdout()).isEmpty();
    assertThatThrownBy(
            () ->
                socket.perform(Neighbours.delete(Neighbour.permanent(eth0, ip("10.0.0.99"), MAC))))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessageStartingWith("delete neighbour 10.0.0.99 lladdr " + MAC + " dev eth0 permanent");
  }

  @Test
  void anEntryMayBeInAnotherState(Host host) {
    Neighbour stale =
        Neighbour.permanent(eth0, ip("fd00::2"), MAC).state(NeighbourState.STALE).asRouter();

    socket.perform(Neighbours.add(stale));

    JsonNode shown = shown(host).get(0);
    assertThat(shown.get("state").toString()).isEqualTo("[\"STALE\"]");
    assertThat(shown.has("router")).isTrue();
    assertThat(entries(Neighbours.list(eth0))).containsExactly(stale);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void aProxyEntryIsListedApart(String address, Host host) {
    Neighbour proxy = Neighbour.proxy(eth0, ip(address));

    socket.perform(Neighbours.add(proxy));
    socket.perform(Neighbours.replace(proxy));

    assertThat(host.exec("ip", "neighbour", "show", "proxy").stdout().strip())
        .isEqualTo(address + " dev eth0 proxy");
    assertThat(socket.list(Neighbours.proxies(eth0))).containsExactly(proxy);
    assertThat(socket.list(Neighbours.proxies())).containsExactly(proxy);
    assertThat(entries(Neighbours.list(eth0))).isEmpty();

    socket.perform(Neighbours.delete(proxy));
    assertThat(socket.list(Neighbours.proxies())).isEmpty();
    assertThatThrownBy(() -> socket.perform(Neighbours.delete(proxy)))
        .hasMessageStartingWith("delete neighbour proxy " + address + " dev eth0: No such file");
  }

  @Test
  void listsAllOrOfOneLinkOrOfOneFamily() {
    Device eth1 = net.link("eth1");
    Neighbour a = Neighbour.permanent(eth0, ip("10.0.0.2"), MAC);
    Neighbour b = Neighbour.permanent(eth0, ip("fd00::2"), MAC);
    Neighbour c = Neighbour.permanent(eth1, ip("10.0.0.2"), MAC);
    socket.perform(
        Neighbours.add(a),
        Neighbours.add(b),
        Neighbours.add(c),
        Neighbours.add(Neighbour.proxy(eth0, ip("10.0.0.9"))),
        Neighbours.add(Neighbour.proxy(eth1, ip("fd00::9"))));

    assertThat(entries(Neighbours.list())).containsExactlyInAnyOrder(a, b, c);
    assertThat(entries(Neighbours.list(eth0))).containsExactlyInAnyOrder(a, b);
    assertThat(entries(Neighbours.list(IpFamily.V4))).containsExactlyInAnyOrder(a, c);
    assertThat(socket.list(Neighbours.proxies(eth1)))
        .containsExactly(Neighbour.proxy(eth1, ip("fd00::9")));
    assertThat(
            socket.list(
                Raw.answers(
                    30, out -> NeighbourMessage.writeFilter(out, IpFamily.V4, eth1, false))))
        .hasSize(1);
    assertThat(
            socket.list(
                Raw.answers(30, out -> NeighbourMessage.writeFilter(out, null, eth1, true))))
        .hasSize(1);
  }

  @Test
  void anUnansweredQuestionHasNoMac(Host host) {
    socket.perform(Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)));
    host.tryExec("ping", "-c1", "-W1", "10.0.0.2");

    assertThat(socket.list(Neighbours.list(IpFamily.V4)))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.address()).isEqualTo(ip("10.0.0.2"));
              assertThat(one.mac()).isNull();
              assertThat(one.state()).isIn(NeighbourState.INCOMPLETE, NeighbourState.FAILED);
            });
  }

  @Test
  void aMissingLinkIsNamed() {
    assertThatThrownBy(
            () ->
                socket.perform(
                    Neighbours.add(
                        Neighbour.permanent(Device.of(4711, "eth7"), ip("10.0.0.2"), MAC))))
        .hasMessageStartingWith(
            "add neighbour 10.0.0.2 lladdr 02:00:5e:10:00:01 dev eth7 permanent: "
                + "No such device (ENODEV)");
  }

  @Test
  void whatCannotBeIsRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> Neighbour.permanent(eth0, ip("10.0.0.2"), MAC).asRouter())
        .hasMessage("neighbour 10.0.0.2 cannot be marked as a router: that is for IPv6 only");
  }

  /** Without the kernel's own multicast entries. */
  private List<Neighbour> entries(NetlinkQuery<Neighbour> query) {
    return socket.list(query.where(one -> !one.address().isMulticast()));
  }

  private static JsonNode shown(Host host) {
    return host.json("ip", "-j", "neighbour", "show", "dev", "eth0");
  }
}
