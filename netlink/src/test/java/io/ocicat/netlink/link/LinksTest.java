package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Finding, changing and deleting links, checked with {@code ip}. */
@Hosts
class LinksTest {
  private static final MacAddress MAC = MacAddress.parse("02:00:5e:10:00:01");

  private Machine here;

  @BeforeEach
  void open(Host host) {
    here = Machine.on(host);
  }

  @AfterEach
  void close() {
    here.close();
  }

  @Test
  void everyFieldIsWhatIpPrints() {
    here.host().exec("ip", "link", "add", "br0", "type", "bridge");
    here.host()
        .exec(
            ("ip link add v0 index 90 master br0 group 5 txqueuelen 77 mtu 1400 address "
                    + MAC
                    + " numtxqueues 3 numrxqueues 2 up type veth peer name p0 index 91")
                .split(" "));
    here.host()
        .exec("ip", "link", "set", "v0", "alias", "pod a/b", "promisc", "on", "allmulticast", "on");
    here.host().exec("ip", "link", "set", "p0", "up");

    Link link = here.link("v0");

    JsonNode shown = here.show("v0");
    assertThat(link.index()).isEqualTo(90).isEqualTo(shown.path("ifindex").intValue());
    assertThat(link.name()).isEqualTo("v0");
    assertThat(link.kind()).isEqualTo("veth");
    assertThat(link.mac()).isEqualTo(MAC);
    assertThat(link.mtu()).isEqualTo(1400);
    assertThat(link.isUp()).isTrue();
    assertThat(link.isRunning()).isTrue();
    assertThat(link.isLoopback()).isFalse();
    assertThat(link.master()).isEqualTo(here.show("br0").path("ifindex").intValue());
    assertThat(link.peer()).isEqualTo(91);
    assertThat(link.peerNamespace()).isEqualTo(-1);
    assertThat(link.group()).isEqualTo(5);
    assertThat(link.alias()).isEqualTo("pod a/b");
    assertThat(link.isPromiscuous()).isTrue();
    assertThat(link.promiscuity()).isEqualTo(2).isEqualTo(shown.path("promiscuity").intValue());
    assertThat(link.isAllMulticast()).isTrue();
    assertThat(link.txQueues()).isEqualTo(3);
    assertThat(link.rxQueues()).isEqualTo(2);
    assertThat(link.txQueueLength()).isEqualTo(77);
    assertThat(link.options()).isNull();
    assertThat(link.port()).isNotNull();
  }

  @Test
  void loopbackHasNeitherKindNorPeerNorMaster() {
    Link lo = here.link("lo");

    assertThat(lo.isLoopback()).isTrue();
    assertThat(lo.kind()).isEmpty();
    assertThat(lo.peer()).isZero();
    assertThat(lo.master()).isZero();
    assertThat(lo.alias()).isEmpty();
    assertThat(lo.port()).isNull();
    assertThat(lo.isPromiscuous()).isFalse();
    assertThat(lo.isAllMulticast()).isFalse();
  }

  @Test
  void aLinkIsFoundByIndexAndByName() {
    Link made = here.veth("v0", "p0");

    assertThat(here.net().find(Links.byIndex(made.index()))).contains(here.link("v0"));
    assertThat(here.net().find(Links.byIndex(4711))).isEmpty();
    assertThat(here.net().find(Links.named("eth7"))).isEmpty();
  }

  @Test
  void linksAreListedByKindMasterAndGroup() {
    here.veth("v0", "p0");
    here.host().exec("ip", "link", "add", "br0", "type", "bridge");
    here.host().exec("ip", "link", "set", "v0", "master", "br0", "group", "7");
    int bridge = here.link("br0").index();

    assertThat(names(here.net().list(Links.all())))
        .containsExactlyInAnyOrder("lo", "v0", "p0", "br0");
    assertThat(names(here.net().list(Links.ofKind("veth")))).containsExactlyInAnyOrder("v0", "p0");
    assertThat(names(here.net().list(Links.ofKind("no-such-kind")))).isEmpty();
    assertThat(names(here.net().list(Links.masteredBy(bridge)))).containsExactly("v0");
    assertThat(names(here.net().list(Links.masteredBy(4711)))).isEmpty();
    assertThat(names(here.net().list(Links.inGroup(7)))).containsExactly("v0");
  }

  @Test
  void aThousandLinksAreListedWhole() {
    here.net()
        .perform(
            IntStream.range(0, 500)
                .mapToObj(
                    i ->
                        Links.create(
                            LinkSettings.named("a" + i).group(3),
                            new LinkKind.Veth(LinkSettings.named("b" + i).group(3))))
                .toList());

    assertThat(here.net().list(Links.ofKind("veth"))).hasSize(1000);

    here.net().perform(Links.deleteGroup(3));
    assertThat(here.net().list(Links.ofKind("veth"))).isEmpty();
  }

  @Test
  void eachSettingIsChangedByItself() {
    int link = here.veth("v0", "p0").index();
    here.host().exec("ip", "link", "add", "br0", "type", "bridge");
    int bridge = here.link("br0").index();

    here.net()
        .perform(
            Links.up(link),
            Links.setMtu(link, 1300),
            Links.setMac(link, MAC),
            Links.setMaster(link, bridge),
            Links.setGroup(link, 9),
            Links.setAlias(link, "für Pod α"),
            Links.setPromiscuous(link, true),
            Links.setAllMulticast(link, true),
            Links.setTxQueueLength(link, 123));

    JsonNode shown = here.show("v0");
    assertThat(shown.path("flags").toString()).contains("\"UP\"", "\"PROMISC\"", "\"ALLMULTI\"");
    assertThat(shown.path("txqlen").intValue()).isEqualTo(123);
    assertThat(shown.path("mtu").intValue()).isEqualTo(1300);
    assertThat(shown.path("address").stringValue()).isEqualTo(MAC.toString());
    assertThat(shown.path("master").stringValue()).isEqualTo("br0");
    assertThat(shown.path("group").stringValue()).isEqualTo("9");
    assertThat(shown.path("ifalias").stringValue()).isEqualTo("für Pod α");

    here.net()
        .perform(
            Links.down(link),
            Links.noMaster(link),
            Links.setAlias(link, ""),
            Links.setPromiscuous(link, false),
            Links.setAllMulticast(link, false),
            Links.rename(link, "v1"));

    shown = here.show("v1");
    assertThat(shown.path("flags").toString()).doesNotContain("\"UP\"", "PROMISC", "ALLMULTI");
    assertThat(shown.has("master")).isFalse();
    assertThat(shown.has("ifalias")).isFalse();
  }

  @Test
  void manySettingsTravelInOneMessageByIndexOrByName() {
    int link = here.veth("v0", "p0").index();

    here.net()
        .perform(
            Links.set(link, LinkSettings.named("v9").mtu(1280).txQueueLength(55).up()),
            Links.set("p0", LinkSettings.none().group(4).up()));

    JsonNode shown = here.show("v9");
    assertThat(shown.path("ifindex").intValue()).isEqualTo(link);
    assertThat(shown.path("mtu").intValue()).isEqualTo(1280);
    assertThat(shown.path("txqlen").intValue()).isEqualTo(55);
    assertThat(shown.path("operstate").stringValue()).isEqualTo("UP");
    assertThat(here.show("p0").path("group").stringValue()).isEqualTo("4");
  }

  @Test
  void aChangeByNameOfNoLinkChangesNoOther() {
    here.veth("v0", "p0");
    here.net().perform(Links.set("v0", LinkSettings.none().group(4).up()));

    assertThatThrownBy(
            () -> here.net().perform(Links.set("v7", LinkSettings.none().group(4).down())))
        .hasMessageStartingWith("set link \"v7\" group 4 down: No such device (ENODEV)");
    assertThat(here.link("v0").isUp()).isTrue();
  }

  @Test
  void aLinkMovesToAnotherNamespace(Host other) {
    int link = here.veth("v0", "p0").index();

    try (Machine there = Machine.on(other)) {
      here.net().perform(Links.moveTo(link, there.ns()));

      int peer = here.link("p0").index();
      assertThat(there.link("v0").peer()).isEqualTo(peer);
      assertThat(there.show("v0").path("link_index").intValue()).isEqualTo(peer);
      assertThat(there.link("v0").peerNamespace()).isNotNegative();
    }
    assertThat(here.net().find(Links.named("v0"))).isEmpty();
  }

  @Test
  void aVethTakesItsPeerWithIt() {
    Link link = here.veth("v0", "p0");

    here.net().perform(Links.delete(link.index()));

    assertThat(names(here.net().list(Links.all()))).containsExactly("lo");
    assertThatThrownBy(() -> here.net().perform(Links.delete(link.index())))
        .hasMessageStartingWith("delete link " + link.index() + ": No such device (ENODEV)");
    assertThatThrownBy(() -> here.net().perform(Links.delete("v0")))
        .hasMessageStartingWith("delete link \"v0\": No such device (ENODEV)");
  }

  @Test
  void aLinkIsDeletedByName() {
    here.veth("v0", "p0");

    here.net().perform(Links.delete("p0"));

    assertThat(names(here.net().list(Links.all()))).containsExactly("lo");
  }

  @Test
  void aGroupIsDeletedAtOnceAndNothingElse() {
    List<Link> doomed =
        List.of(here.veth("a0", "b0"), here.veth("a1", "b1"), here.veth("a2", "b2"));
    here.veth("keep", "keep-too");
    here.net().perform(doomed.stream().map(link -> Links.setGroup(link.index(), 66)).toList());

    here.net().perform(Links.deleteGroup(66));

    assertThat(names(here.net().list(Links.all())))
        .containsExactlyInAnyOrder("lo", "keep", "keep-too");
    assertThatThrownBy(() -> here.net().perform(Links.deleteGroup(66)))
        .hasMessageStartingWith("delete links of group 66: No such device (ENODEV)");
    assertThatThrownBy(() -> here.net().perform(Links.deleteGroup(0)))
        .hasMessageStartingWith("delete links of group 0: Operation not permitted (EPERM)");
  }

  @Test
  void refusalsNameTheChange() {
    here.veth("v0", "p0");
    int link = here.link("v0").index();

    List<RequestOutcome> outcomes =
        here.net()
            .attempt(
                List.of(
                    Links.rename(link, "p0"),
                    Links.setMtu(link, 67),
                    Links.setMaster(link, 4711),
                    Links.setMac(link, MacAddress.parse("01:00:00:00:00:00")),
                    Links.up(4711)));

    assertThat(outcomes)
        .extracting(outcome -> outcome.failure().map(NetlinkException::operation).orElse(""))
        .containsExactly(
            "set link %d name \"p0\"".formatted(link),
            "set link %d mtu 67".formatted(link),
            "set link %d master 4711".formatted(link),
            "set link %d address 01:00:00:00:00:00".formatted(link),
            "set link 4711 up");
    assertThat(outcomes)
        .extracting(outcome -> outcome.failure().orElseThrow().errno())
        .containsExactly(
            Errno.EEXIST, Errno.EINVAL, Errno.EINVAL, Errno.EADDRNOTAVAIL, Errno.ENODEV);
  }

  private static List<String> names(List<Link> links) {
    return links.stream().map(Link::name).toList();
  }
}
