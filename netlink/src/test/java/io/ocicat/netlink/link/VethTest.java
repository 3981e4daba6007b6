package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
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

/** A pod's veth pair: created in its namespaces, complete and in as few messages as possible. */
@Hosts
class VethTest {
  private static final MacAddress HERE = MacAddress.parse("ee:ee:ee:ee:ee:ee");
  private static final MacAddress THERE = MacAddress.parse("02:00:5e:10:00:02");

  private Machine host;
  private Machine pod;

  @BeforeEach
  void open(Host node, Host sandbox) {
    host = Machine.on(node);
    pod = Machine.on(sandbox);
  }

  @AfterEach
  void close() {
    host.close();
    pod.close();
  }

  @Test
  void bothEndsAreBornCompleteInTheirOwnNamespaces() {
    Link bridge = Links.create(host.net(), LinkSettings.named("br0"), new Bridge());

    Link end =
        Links.create(
            host.net(),
            LinkSettings.named("vethab12")
                .index(41)
                .mac(HERE)
                .mtu(1450)
                .txQueueLength(77)
                .queues(3, 2)
                .group(9)
                .master(bridge.index())
                .up(),
            new Veth(
                LinkSettings.named("eth0")
                    .in(pod.ns())
                    .index(42)
                    .mac(THERE)
                    .mtu(1400)
                    .txQueueLength(78)
                    .queues(4, 5)
                    .group(10)));

    JsonNode here = host.show("vethab12");
    assertThat(here.path("ifindex").intValue()).isEqualTo(end.index());
    assertThat(here.path("address").stringValue()).isEqualTo(HERE.toString());
    assertThat(here.path("mtu").intValue()).isEqualTo(1450);
    assertThat(here.path("txqlen").intValue()).isEqualTo(77);
    assertThat(here.path("num_tx_queues").intValue()).isEqualTo(3);
    assertThat(here.path("num_rx_queues").intValue()).isEqualTo(2);
    assertThat(here.path("group").stringValue()).isEqualTo("9");
    assertThat(here.path("master").stringValue()).isEqualTo("br0");
    assertThat(here.path("flags").toString()).contains("\"UP\"");

    JsonNode there = pod.show("eth0");
    assertThat(there.path("ifindex").intValue()).isEqualTo(42).isEqualTo(end.peer());
    assertThat(there.path("address").stringValue()).isEqualTo(THERE.toString());
    assertThat(there.path("mtu").intValue()).isEqualTo(1400);
    assertThat(there.path("txqlen").intValue()).isEqualTo(78);
    assertThat(there.path("num_tx_queues").intValue()).isEqualTo(4);
    assertThat(there.path("num_rx_queues").intValue()).isEqualTo(5);
    assertThat(there.path("group").stringValue()).isEqualTo("10");
    assertThat(there.path("link_index").intValue()).isEqualTo(end.index());
  }

  @Test
  void theLinkIsReturnedWithItsPeersIndexWithoutAsking() {
    Link end =
        Links.create(
            host.net(),
            LinkSettings.named("vethab12").up(),
            new Veth(LinkSettings.named("eth0").in(pod.ns())));

    // Its carrier is detected a moment after its creation.
    assertThat(end)
        .usingRecursiveComparison()
        .ignoringFields("flags")
        .isEqualTo(host.link("vethab12"));
    assertThat(end.isUp()).isTrue();
    assertThat(end.peerNamespace()).isNotNegative();
    assertThat(pod.link("eth0").index()).isEqualTo(end.peer());
  }

  @Test
  void aKernelThatDoesNotEchoIsAskedByName() {
    LinkSettings settings = LinkSettings.named("vethab12");
    NetlinkRequest request =
        Links.create(settings, new Veth(LinkSettings.named("eth0").in(pod.ns())));
    RequestOutcome silent = host.net().perform(request).getFirst();

    assertThat(silent).isEqualTo(new RequestOutcome.Done(request, List.of()));
    assertThat(Links.created(host.net(), silent, settings)).isEqualTo(host.link("vethab12"));
    assertThatThrownBy(() -> Links.created(host.net(), silent, LinkSettings.none()))
        .isInstanceOf(NetlinkException.class)
        .hasMessageEndingWith("do not say how they named a link: give it a name");

    host.net().perform(Links.delete("vethab12"));
    assertThatThrownBy(() -> Links.created(host.net(), silent, settings))
        .isInstanceOf(NetlinkException.class)
        .hasMessageContaining("it is gone again already");
  }

  @Test
  void parkedForALaterDeletionALinkGetsOutOfTheWay() {
    Link end =
        Links.create(
            host.net(),
            LinkSettings.named("vethab12").up(),
            new Veth(LinkSettings.named("eth0").in(pod.ns())));

    host.net()
        .perform(
            Links.down(end.index()),
            Links.set(end.index(), LinkSettings.named("trash1").group(0xdead)));

    assertThat(host.net().find(Links.named("vethab12"))).isEmpty();
    assertThat(host.net().list(Links.inGroup(0xdead)))
        .extracting(Link::name)
        .containsExactly("trash1");
    host.net().perform(Links.deleteGroup(0xdead));
    assertThat(pod.net().find(Links.named("eth0"))).isEmpty();
  }

  /**
   * Two sends are the minimum: a message reaches the links of the namespace it is sent in, and the
   * peer cannot be created up.
   */
  @Test
  void oneSendOnEachSideMakesAPairThatWorks() {
    Link end =
        Links.create(
            host.net(),
            LinkSettings.named("vethab12").up(),
            new Veth(LinkSettings.named("eth0").in(pod.ns()).mac(THERE)),
            Links.set("vethab12", LinkSettings.none().alias("pod 7")));
    pod.net().perform(Links.up(end.peer()));

    assertThat(host.show("vethab12").path("operstate").stringValue()).isEqualTo("UP");
    assertThat(host.show("vethab12").path("ifalias").stringValue()).isEqualTo("pod 7");
    assertThat(pod.show("eth0").path("operstate").stringValue()).isEqualTo("UP");
  }

  @Test
  void whatCannotBeFinishedIsTakenAwayAgain() {
    assertThatThrownBy(
            () ->
                Links.create(
                    host.net(),
                    LinkSettings.named("vethab12").up(),
                    new Veth(LinkSettings.named("eth0").in(pod.ns())),
                    Links.set("vethab12", LinkSettings.none().alias("pod 7")),
                    Links.setPort("vethab12", BridgePort.with(BridgePortOption.HAIRPIN, true)),
                    Links.set("vethab12", LinkSettings.none().mtu(1))))
        .isInstanceOf(NetlinkException.class)
        .hasMessageStartingWith("set bridge port \"vethab12\" hairpin on")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

    assertThat(host.net().list(Links.ofKind("veth"))).isEmpty();
    assertThat(pod.net().list(Links.ofKind("veth"))).isEmpty();
  }

  @Test
  void withAChosenIndexThePodsWholeSideIsOneSend() {
    pod.net()
        .perform(
            Links.create(
                LinkSettings.named("eth0").index(2).mac(THERE).up(),
                new Veth(LinkSettings.named("vethab12").in(host.ns()))),
            Links.setAlias(2, "pod 7"),
            Links.up(1));
    host.net().perform(Links.set("vethab12", LinkSettings.none().up()));

    assertThat(pod.link("eth0").isRunning()).isTrue();
    assertThat(pod.link("eth0").alias()).isEqualTo("pod 7");
    assertThat(host.show("vethab12").path("operstate").stringValue()).isEqualTo("UP");
  }

  @Test
  void aHundredPairsAreOneBatch() {
    List<NetlinkRequest> requests =
        IntStream.range(0, 100)
            .mapToObj(
                i ->
                    Links.create(
                        LinkSettings.named("veth" + i).up(),
                        new Veth(LinkSettings.named("eth" + i).in(pod.ns()))))
            .toList();

    host.net().perform(requests);

    assertThat(host.net().list(Links.ofKind("veth"))).hasSize(100).allMatch(Link::isUp);
    assertThat(pod.net().list(Links.ofKind("veth"))).hasSize(100).noneMatch(Link::isUp);
  }

  @Test
  void withoutNamesTheKernelChooses() {
    Link end = Links.create(host.net(), LinkSettings.none(), new Veth(LinkSettings.none()));

    assertThat(end.name()).isNotEmpty();
    assertThat(host.show(end.name()).path("ifindex").intValue()).isEqualTo(end.index());
    assertThat(host.net().list(Links.ofKind("veth"))).hasSize(2);
  }

  @Test
  void aNameThatIsTakenOnEitherSideLeavesNothingBehind() {
    Veth peer = new Veth(LinkSettings.named("eth0").in(pod.ns()));
    Links.create(host.net(), LinkSettings.named("vethab12"), peer);

    assertThatThrownBy(() -> Links.create(host.net(), LinkSettings.named("vethab12"), peer))
        .isInstanceOf(NetlinkException.class)
        .hasMessageStartingWith(
            "create veth \"vethab12\" with peer \"eth0\": File exists (EEXIST)");
    assertThatThrownBy(() -> Links.create(host.net(), LinkSettings.named("vethcd34"), peer))
        .hasMessageStartingWith(
            "create veth \"vethcd34\" with peer \"eth0\": File exists (EEXIST)");
    assertThat(host.net().list(Links.ofKind("veth"))).hasSize(1);
    assertThat(pod.net().list(Links.ofKind("veth"))).hasSize(1);
  }

  @Test
  void anIndexThatIsTakenIsRefused() {
    assertThatThrownBy(
            () ->
                host.net()
                    .perform(
                        Links.create(
                            LinkSettings.named("veth0").index(1),
                            new Veth(LinkSettings.named("veth1")))))
        .satisfies(e -> assertThat(((NetlinkException) e).is(Errno.EEXIST)).isTrue());
  }

  @Test
  void thePeersIndexIsOnlyChosenTogetherWithTheLinks() {
    LinkSettings peer = LinkSettings.named("eth0").in(pod.ns()).index(42);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Links.create(LinkSettings.named("vethab12"), new Veth(peer)))
        .withMessageContaining("ignores the index of a veth's peer");
  }

  @Test
  void aNamespaceThatIsClosedIsRefused() {
    pod.ns().close();

    assertThatThrownBy(() -> new Veth(LinkSettings.named("eth0").in(pod.ns())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the descriptor is closed");
  }

  @Test
  void aLinkBornElsewhereIsNotLookedForHere() {
    LinkSettings elsewhere = LinkSettings.named("br0").in(pod.ns());

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Links.create(host.net(), elsewhere, new Bridge()))
        .withMessageContaining("must be queried there");
    host.net().perform(Links.create(elsewhere, new Bridge()));
    assertThat(pod.link("br0").kind()).isEqualTo("bridge");
  }
}
