package io.ocicat.netlink.route;

import static io.ocicat.netlink.route.TestNet.ip;
import static io.ocicat.netlink.route.TestNet.prefix;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class AddressesTest {
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
  @ValueSource(strings = {"10.1.2.3/24", "fd00:1::3/64"})
  void addsAnAddressWithItsSubnetsRoute(String text, Host host) {
    socket.perform(Addresses.add(Address.of(prefix(text), eth0).nodad()));

    JsonNode shown = shown(host, "eth0").get(0);
    assertThat(shown.get("local").asString() + "/" + shown.get("prefixlen").asInt())
        .isEqualTo(text);
    assertThat(shown.get("scope").asString()).isEqualTo("global");
    assertThat(shown.get("valid_life_time").asLong()).isEqualTo(Lifetime.ENDLESS);
    String family = text.contains(":") ? "-6" : "-4";
    assertThat(host.json("ip", "-j", family, "route").findValuesAsString("dst"))
        .contains(prefix(text).network().toString());
  }

  @Test
  void everyDetailOfAnIpv4AddressArrives(Host host) {
    Address address =
        Address.of(prefix("10.1.2.3/24"), eth0)
            .subnetBroadcast()
            .label("eth0:pod")
            .scope(Scope.LINK)
            .noPrefixRoute()
            .lifetime(new Lifetime(500, 1000))
            .metric(77);

    socket.perform(Addresses.add(address));

    JsonNode shown = shown(host, "eth0").get(0);
    assertThat(shown.get("broadcast").asString()).isEqualTo("10.1.2.255");
    assertThat(shown.get("label").asString()).isEqualTo("eth0:pod");
    assertThat(shown.get("scope").asString()).isEqualTo("link");
    assertThat(shown.get("noprefixroute").asBoolean()).isTrue();
    assertThat(shown.get("preferred_life_time").asLong()).isBetween(480L, 500L);
    assertThat(shown.get("valid_life_time").asLong()).isBetween(980L, 1000L);
    assertThat(shown.get("metric").asLong()).isEqualTo(77);
    assertThat(host.json("ip", "-j", "-4", "route")).isEmpty();

    Address read = only(Addresses.list(eth0));
    assertThat(read.device()).isEqualTo(eth0);
    assertThat(read.lifetime().preferred()).isBetween(480L, 500L);
    assertThat(read.lifetime(address.lifetime())).isEqualTo(address);
  }

  @Test
  void everyDetailOfAnIpv6AddressArrives(Host host) {
    Address address =
        Address.of(prefix("fd00:1::3/64"), eth0)
            .nodad()
            .noPrefixRoute()
            .lifetime(new Lifetime(500, 1000))
            .metric(77);

    socket.perform(Addresses.add(address));

    JsonNode shown = shown(host, "eth0").get(0);
    assertThat(shown.get("nodad").asBoolean()).isTrue();
    assertThat(shown.get("noprefixroute").asBoolean()).isTrue();
    assertThat(shown.get("preferred_life_time").asLong()).isBetween(480L, 500L);
    assertThat(shown.get("valid_life_time").asLong()).isBetween(980L, 1000L);
    assertThat(shown.get("metric").asLong()).isEqualTo(77);
    assertThat(host.json("ip", "-j", "-6", "route")).isEmpty();
    assertThat(only(Addresses.list(eth0)).lifetime(address.lifetime())).isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1 10.0.0.2 32", "fd00::1 fd00::2 128"})
  void aPointToPointAddressHasAPeer(String text, Host host) {
    String[] part = text.split(" ", -1);
    Address address = Address.of(prefix(part[0] + "/" + part[2]), eth0).peer(ip(part[1])).nodad();

    socket.perform(Addresses.add(address));

    JsonNode shown = shown(host, "eth0").get(0);
    assertThat(shown.get("local").asString()).isEqualTo(part[0]);
    assertThat(shown.get("address").asString()).isEqualTo(part[1]);
    assertThat(only(Addresses.list(eth0)).peer()).isEqualTo(ip(part[1]));
    socket.perform(Addresses.delete(address));
    assertThat(socket.list(Addresses.list(eth0))).isEmpty();
  }

  @Test
  void anAddressWithoutAnEndIsPermanent() {
    socket.perform(
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()));

    assertThat(socket.list(Addresses.list(eth0)))
        .hasSize(2)
        .allSatisfy(
            address -> {
              assertThat(address.has(AddressFlag.PERMANENT)).isTrue();
              assertThat(address.lifetime()).isEqualTo(Lifetime.FOREVER);
            });
  }

  @Test
  void aSecondAddressOfAnIpv4SubnetIsSecondaryAndGoesWithTheFirst() {
    Address first = Address.of(prefix("10.0.0.1/24"), eth0);
    socket.perform(Addresses.add(first), Addresses.add(Address.of(prefix("10.0.0.2/24"), eth0)));

    assertThat(socket.list(Addresses.list(eth0)))
        .extracting(address -> address.has(AddressFlag.SECONDARY))
        .containsExactly(false, true);
    socket.perform(Addresses.delete(first));
    assertThat(socket.list(Addresses.list(eth0))).isEmpty();
  }

  @Test
  void anIpv6AddressIsTentativeUnlessNodad(Host host) {
    // Without a carrier the detection waits, however slow the machine is.
    host.exec("ip", "link", "set", "eth0p", "down");
    socket.perform(
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0)),
        Addresses.add(Address.of(prefix("fd00::2/64"), eth0).nodad()));

    assertThat(tentative("fd00::1")).isTrue();
    assertThat(tentative("fd00::2")).isFalse();
    host.exec("ip", "link", "set", "eth0p", "up");
    Eventually.await("the end of duplicate detection", () -> !tentative("fd00::1"));
  }

  @Test
  void aDuplicateIpv6AddressIsMarked(Host host) {
    Device peer = net.device("eth0p");
    socket.perform(Addresses.add(Address.of(prefix("fd00::1/64"), peer).nodad()));
    socket.perform(Addresses.add(Address.of(prefix("fd00::1/64"), eth0)));

    Eventually.passes(
        Duration.ofSeconds(10),
        () ->
            assertThat(only(Addresses.list(eth0)).flags())
                .contains(AddressFlag.DADFAILED, AddressFlag.TENTATIVE));
    assertThat(shown(host, "eth0").get(0).get("dadfailed").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1/24", "fd00::1/64"})
  void addingTwiceFailsAndReplacingDoesNot(String text) {
    Address address = Address.of(prefix(text), eth0).nodad();
    socket.perform(Addresses.add(address));

    assertThatThrownBy(() -> socket.perform(Addresses.add(address)))
        .hasMessageStartingWith("add address " + text + " dev eth0: File exists (EEXIST)");
    socket.perform(Addresses.replace(address.lifetime(new Lifetime(100, 200)).metric(5)));

    Address replaced = only(Addresses.list(eth0));
    assertThat(replaced.lifetime().valid()).isBetween(150L, 200L);
    assertThat(replaced.metric()).isEqualTo(5);
    assertThat(replaced.has(AddressFlag.PERMANENT)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1/24", "fd00::1/64"})
  void replacingAnAddressThatIsNotThereAddsIt(String text) {
    socket.perform(Addresses.replace(Address.of(prefix(text), eth0).nodad()));

    assertThat(only(Addresses.list(eth0)).prefix()).isEqualTo(prefix(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "fd00::1"})
  void deletesTheAddressWithThePrefixLengthOnly(String text, Host host) {
    int length = text.contains(":") ? 64 : 24;
    Address address = Address.of(prefix(text + "/" + length), eth0).nodad();
    socket.perform(Addresses.add(address));

    assertThatThrownBy(
            () -> socket.perform(Addresses.delete(Address.of(prefix(text + "/20"), eth0))))
        .isInstanceOfSatisfying(
            NetlinkException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL))
        .hasMessageStartingWith("delete address " + text + "/20 dev eth0: Cannot assign");
    socket.perform(Addresses.delete(address));
    assertThat(shown(host, "eth0")).isEmpty();
  }

  @Test
  void twoLabelsTellAddressesApart(Host host) {
    Address one = Address.of(prefix("10.0.0.1/24"), eth0).label("eth0:1");
    socket.perform(Addresses.add(one));

    assertThatThrownBy(() -> socket.perform(Addresses.delete(one.label("eth0:2"))))
        .hasMessageStartingWith("delete address 10.0.0.1/24 dev eth0 label eth0:2: Cannot assign");
    assertThat(shown(host, "eth0")).hasSize(1);
  }

  @Test
  void listsAllOrOfOneLinkOrOfOneFamily() {
    Device eth1 = net.link("eth1");
    socket.perform(
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("fd00::1/64"), eth0).nodad()),
        Addresses.add(Address.of(prefix("10.0.1.1/24"), eth1)),
        Addresses.add(Address.of(prefix("fd00:1::1/64"), eth1).nodad()));

    assertThat(prefixes(Addresses.list()))
        .containsExactlyInAnyOrder(
            "127.0.0.1/8", "::1/128", "10.0.0.1/24", "fd00::1/64", "10.0.1.1/24", "fd00:1::1/64");
    assertThat(prefixes(Addresses.list(eth1)))
        .containsExactlyInAnyOrder("10.0.1.1/24", "fd00:1::1/64");
    assertThat(prefixes(Addresses.list(IpFamily.V4)))
        .containsExactlyInAnyOrder("127.0.0.1/8", "10.0.0.1/24", "10.0.1.1/24");
    assertThat(prefixes(Addresses.list(IpFamily.V6, eth0))).containsExactly("fd00::1/64");
  }

  @Test
  void theKernelItselfFiltersByLink() {
    Device eth1 = net.link("eth1");
    socket.perform(
        Addresses.add(Address.of(prefix("10.0.0.1/24"), eth0)),
        Addresses.add(Address.of(prefix("10.0.1.1/24"), eth1)));

    assertThat(
            socket.list(Raw.answers(22, out -> AddressMessage.writeFilter(out, IpFamily.V4, eth1))))
        .hasSize(1);
  }

  @Test
  void theLoopbackAddressHasHostScope() {
    assertThat(socket.list(Addresses.list(IpFamily.V6)))
        .singleElement()
        .satisfies(address -> assertThat(address.scope()).isEqualTo(Scope.HOST));
    assertThat(Address.of(prefix("127.0.0.1/8"), eth0).scope()).isEqualTo(Scope.HOST);
  }

  @Test
  void aMissingLinkIsNamed() {
    Device gone = Device.of(4711, "eth7");

    assertThatThrownBy(() -> socket.perform(Addresses.add(Address.of(prefix("10.0.0.1/24"), gone))))
        .hasMessageStartingWith("add address 10.0.0.1/24 dev eth7: No such device (ENODEV)");
    assertThatThrownBy(() -> socket.list(Addresses.list(gone)))
        .hasMessageStartingWith("list addresses dev eth7: No such device (ENODEV)");
    assertThatThrownBy(() -> socket.list(Addresses.list(Device.of(4711))))
        .hasMessageStartingWith("list addresses dev 4711: No such device (ENODEV)");
  }

  @Test
  void aBadAddressIsRefusedWithTheKernelsWords() {
    assertThatThrownBy(() -> socket.perform(Addresses.add(Address.of(prefix("ff02::1/64"), eth0))))
        .hasMessageMatching(
            "add address ff02::1/64 dev eth0: "
                + "Cannot assign requested address \\(EADDRNOTAVAIL\\): ipv6: .+");
  }

  @Test
  void whatCannotBeIsRefusedBeforeItIsSent() {
    Address v4 = Address.of(prefix("10.0.0.1/24"), eth0);
    Address v6 = Address.of(prefix("fd00::1/64"), eth0);

    assertThatThrownBy(() -> v4.peer(ip("fd00::2")))
        .hasMessage("address 10.0.0.1/24 cannot have the peer fd00::2: not the same family");
    assertThatThrownBy(() -> v6.broadcast(ip("fd00::ff")))
        .hasMessage(
            "address fd00::1/64 cannot have the broadcast address fd00::ff: that is for IPv4 only");
    assertThatThrownBy(() -> v6.label("eth0:1"))
        .hasMessage("address fd00::1/64 cannot have the label \"eth0:1\": that is for IPv4 only");
    assertThatThrownBy(() -> v4.metric(1L << 32))
        .hasMessage("the metric of address 10.0.0.1/24 must be 0–4294967295, not 4294967296");
    assertThatThrownBy(() -> new Lifetime(2, 1))
        .hasMessage(
            "an address cannot be preferred for 2 of 1 seconds: 0 ≤ preferred ≤ valid ≤ 4294967295");
    assertThatThrownBy(() -> Device.of(0, "eth9"))
        .hasMessage("a device's index is at least 1, not 0 for eth9");
    assertThat(v6.subnetBroadcast()).isEqualTo(v6);
  }

  private boolean tentative(String address) {
    return socket.list(Addresses.list(eth0)).stream()
        .filter(one -> one.prefix().address().equals(ip(address)))
        .findFirst()
        .orElseThrow()
        .has(AddressFlag.TENTATIVE);
  }

  private Address only(NetlinkQuery<Address> query) {
    assertThat(socket.list(query)).hasSize(1);
    return socket.list(query).getFirst();
  }

  private List<String> prefixes(NetlinkQuery<Address> query) {
    return socket.list(query).stream().map(address -> address.prefix().toString()).toList();
  }

  private static JsonNode shown(Host host, String device) {
    return host.json("ip", "-j", "-d", "address", "show", "dev", device).get(0).get("addr_info");
  }
}
