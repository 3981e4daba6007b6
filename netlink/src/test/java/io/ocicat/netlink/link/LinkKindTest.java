package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.RequestBytes;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Dummy;
import io.ocicat.netlink.link.LinkKind.Ifb;
import io.ocicat.netlink.link.LinkKind.Ipip;
import io.ocicat.netlink.link.LinkKind.Macvlan;
import io.ocicat.netlink.link.LinkKind.Vlan;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * Each kind of link with its options, checked with {@code ip}; those this kernel may lack, on the
 * wire compared with what iproute2 6.1 sends.
 */
@Hosts
class LinkKindTest {
  private static final IpAddress LOCAL = IpAddress.parse("192.0.2.7");
  private static final Vlan VLAN = new Vlan(4, 6, Vlan.Tag.DOT1AD);

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
  void aPlainBridge() {
    Link made = Links.create(here.net(), LinkSettings.named("br0").up(), new Bridge());

    assertThat(made.kind()).isEqualTo("bridge");
    assertThat(made.isUp()).isTrue();
    assertThat(made.options()).isEqualTo(here.link("br0").options());
    JsonNode shown = here.showOptions("br0");
    Bridge read = made.as(Bridge.class).orElseThrow();
    assertThat(read.forwardDelay()).isEqualTo(centiseconds(shown, "forward_delay"));
    assertThat(read.ageing()).isEqualTo(centiseconds(shown, "ageing_time"));
    assertThat(read.is(BridgeOption.STP)).isFalse();
    assertThat(read.is(BridgeOption.VLAN_FILTERING)).isFalse();
    assertThat(read.is(BridgeOption.MULTICAST_SNOOPING))
        .isEqualTo(shown.path("mcast_snooping").intValue() == 1);
  }

  @Test
  void aBridgeWithOptionsThatAreChangedLater() {
    Link made =
        Links.create(
            here.net(),
            LinkSettings.named("br0"),
            new Bridge()
                .with(BridgeOption.STP, true)
                .with(BridgeOption.MULTICAST_SNOOPING, false)
                .withForwardDelay(Duration.ofSeconds(4))
                .withAgeing(Duration.ofSeconds(60)));

    JsonNode shown = here.showOptions("br0");
    assertThat(shown.path("stp_state").intValue()).isOne();
    assertThat(shown.path("mcast_snooping").intValue()).isZero();
    assertThat(shown.path("forward_delay").intValue()).isEqualTo(400);
    assertThat(shown.path("ageing_time").intValue()).isEqualTo(6000);

    here.net()
        .perform(
            Links.configure(
                made.index(),
                new Bridge()
                    .with(BridgeOption.STP, false)
                    .with(BridgeOption.MULTICAST_SNOOPING, true)
                    .with(BridgeOption.MULTICAST_QUERIER, true)));

    shown = here.showOptions("br0");
    assertThat(shown.path("stp_state").intValue()).isZero();
    assertThat(shown.path("mcast_snooping").intValue()).isOne();
    assertThat(shown.path("mcast_querier").intValue()).isOne();
    assertThat(shown.path("ageing_time").intValue()).isEqualTo(6000);
  }

  @Test
  void aBridgeThatFiltersVlansIsAskedForAsIproute2Does() {
    assertThat(
            RequestBytes.of(
                Links.create(
                    LinkSettings.named("br1"),
                    new Bridge().with(BridgeOption.VLAN_FILTERING, true).withDefaultPvid(7))))
        .isEqualTo(
            """
            4c 00 00 00 10 00 05 06 00 00 00 00 00 00 00 00 \
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
            08 00 03 00 62 72 31 00 24 00 12 80 0a 00 01 00 \
            62 72 69 64 67 65 00 00 14 00 02 80 05 00 07 00 \
            01 00 00 00 06 00 27 00 07 00 00 00""");
  }

  @ParameterizedTest
  @EnumSource
  void aMacvlanOfEachMode(Macvlan.Mode mode) {
    int parent = here.veth("v0", "p0").index();

    Link made = Links.create(here.net(), LinkSettings.named("mac0"), new Macvlan(parent, mode));

    JsonNode shown = here.showOptions("mac0");
    assertThat(shown.path("mode").stringValue()).isEqualTo(mode.name().toLowerCase(Locale.ROOT));
    assertThat(here.show("mac0").path("link").stringValue()).isEqualTo("v0");
    assertThat(made.peer()).isEqualTo(parent);
    assertThat(made.as(Macvlan.class).orElseThrow().mode()).isEqualTo(mode);
    assertThat(made.as(Macvlan.class).orElseThrow().parent()).isEqualTo(parent);
  }

  @Test
  void aMacvlanIsBornInAnotherNamespaceThanItsParent(Host other) {
    int parent = here.veth("v0", "p0").index();
    try (Machine pod = Machine.on(other)) {
      here.net()
          .perform(
              Links.create(
                  LinkSettings.named("eth0").in(pod.ns()).mtu(1400),
                  new Macvlan(parent, Macvlan.Mode.BRIDGE).withBroadcastQueue(64)));

      assertThat(pod.show("eth0").path("mtu").intValue()).isEqualTo(1400);
      assertThat(pod.showOptions("eth0").path("bcqueuelen").intValue()).isEqualTo(64);
      assertThat(pod.link("eth0").peer()).isEqualTo(parent);
      assertThat(pod.link("eth0").peerNamespace()).isNotNegative();
      assertThat(pod.link("eth0").options())
          .isEqualTo(new Macvlan(parent, Macvlan.Mode.BRIDGE).withBroadcastQueue(64));
    }
  }

  @Test
  void aMacvlanThatReceivesFromAList() {
    int parent = here.veth("v0", "p0").index();
    List<MacAddress> sources =
        List.of(MacAddress.parse("02:00:00:00:00:05"), MacAddress.parse("02:00:00:00:00:06"));

    Link made =
        Links.create(
            here.net(),
            LinkSettings.named("mac0"),
            new Macvlan(parent, Macvlan.Mode.SOURCE).withSources(sources));

    assertThat(here.host().exec("ip", "-d", "link", "show", "mac0").stdout())
        .contains("remotes (2)")
        .contains("02:00:00:00:00:05")
        .contains("02:00:00:00:00:06");
    assertThat(made.as(Macvlan.class).orElseThrow().sources())
        .containsExactlyInAnyOrderElementsOf(sources);
  }

  @Test
  void aMacvlanWithoutItsParentIsRefused() {
    assertThatThrownBy(
            () ->
                Links.create(
                    here.net(), LinkSettings.named("mac0"), new Macvlan(4711, Macvlan.Mode.BRIDGE)))
        .hasMessageStartingWith("create macvlan \"mac0\": No such device (ENODEV)");
  }

  @Test
  void aVxlanAsFlannelMakesIt() {
    int parent = here.veth("v0", "p0").index();
    Vxlan wanted =
        new Vxlan(1)
            .withLocal(LOCAL)
            .withParent(parent)
            .withPort(4789)
            .withTtl(33)
            .withGbp()
            .with(VxlanOption.LEARNING, false)
            .with(VxlanOption.L2_MISS, true)
            .with(VxlanOption.L3_MISS, true)
            .with(VxlanOption.PROXY, true)
            .with(VxlanOption.UDP_CHECKSUM, false)
            .with(VxlanOption.UDP6_ZERO_CHECKSUM_TX, true)
            .with(VxlanOption.UDP6_ZERO_CHECKSUM_RX, true);

    Link made = Links.create(here.net(), LinkSettings.named("flannel.1"), wanted);

    assertThat(made.options()).isEqualTo(wanted);
    JsonNode shown = here.showOptions("flannel.1");
    assertThat(shown.path("id").intValue()).isOne();
    assertThat(shown.path("local").stringValue()).isEqualTo(LOCAL.toString());
    assertThat(shown.path("link").stringValue()).isEqualTo("v0");
    assertThat(shown.path("port").intValue()).isEqualTo(4789);
    assertThat(shown.path("ttl").intValue()).isEqualTo(33);
    assertThat(shown.path("gbp").booleanValue()).isTrue();
    assertThat(shown.path("learning").booleanValue()).isFalse();
    assertThat(shown.path("l2miss").booleanValue()).isTrue();
    assertThat(shown.path("l3miss").booleanValue()).isTrue();
    assertThat(shown.path("proxy").booleanValue()).isTrue();
    assertThat(shown.path("udp_csum").booleanValue()).isFalse();
    assertThat(shown.path("udp_zero_csum6_tx").booleanValue()).isTrue();
    assertThat(shown.path("udp_zero_csum6_rx").booleanValue()).isTrue();
  }

  @Test
  void aVxlanWithEverythingLeftToTheKernel() {
    Link made = Links.create(here.net(), LinkSettings.named("vx0"), new Vxlan(16777215));

    Vxlan read = made.as(Vxlan.class).orElseThrow();
    assertThat(read.id()).isEqualTo(16777215);
    assertThat(read.port()).isEqualTo(8472);
    assertThat(read.local()).isNull();
    assertThat(read.remote()).isNull();
    assertThat(read.parent()).isZero();
    assertThat(read.gbp()).isFalse();
    assertThat(read.is(VxlanOption.LEARNING)).isTrue();
    assertThat(here.showOptions("vx0").path("id").intValue()).isEqualTo(16777215);
  }

  @Test
  void aVxlanOverIpv6WithAMulticastGroup() {
    int parent = here.veth("v0", "p0").index();
    IpAddress group = IpAddress.parse("ff02::4242");
    IpAddress local = IpAddress.parse("2001:db8::7");

    Link made =
        Links.create(
            here.net(),
            LinkSettings.named("vx0"),
            new Vxlan(5).withLocal(local).withRemote(group).withParent(parent).withPort(4789));

    Vxlan read = made.as(Vxlan.class).orElseThrow();
    assertThat(read.local()).isEqualTo(local);
    assertThat(read.remote()).isEqualTo(group);
    JsonNode shown = here.showOptions("vx0");
    assertThat(shown.path("local6").stringValue()).isEqualTo(local.toString());
    assertThat(shown.path("group6").stringValue()).isEqualTo(group.toString());
  }

  @Test
  void twoVxlansOfOneNumberAreRefusedInTheKernelsWords() {
    Links.create(here.net(), LinkSettings.named("vx0"), new Vxlan(7));

    assertThatThrownBy(() -> Links.create(here.net(), LinkSettings.named("vx1"), new Vxlan(7)))
        .hasMessageMatching("create vxlan \"vx1\": File exists \\(EEXIST\\): .+");
  }

  @Test
  void anIfb() {
    Link made = Links.create(here.net(), LinkSettings.named("ifb7").up(), new Ifb());

    assertThat(made.kind()).isEqualTo("ifb");
    assertThat(made.options()).isEqualTo(new Ifb());
    assertThat(here.show("ifb7").path("linkinfo").path("info_kind").stringValue()).isEqualTo("ifb");
  }

  @Test
  void aDummyIsAskedForAsIproute2Does() {
    assertThat(RequestBytes.of(Links.create(LinkSettings.named("d0"), new Dummy())))
        .isEqualTo(
            """
            38 00 00 00 10 00 05 06 00 00 00 00 00 00 00 00 \
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
            07 00 03 00 64 30 00 00 10 00 12 80 09 00 01 00 \
            64 75 6d 6d 79 00 00 00""");
  }

  @Test
  void aVlanIsAskedForAsIproute2Does() {
    assertThat(RequestBytes.of(Links.create(LinkSettings.named("v0.6"), VLAN)))
        .isEqualTo(
            """
            54 00 00 00 10 00 05 06 00 00 00 00 00 00 00 00 \
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
            09 00 03 00 76 30 2e 36 00 00 00 00 08 00 05 00 \
            04 00 00 00 20 00 12 80 08 00 01 00 76 6c 61 6e \
            14 00 02 80 06 00 05 00 88 a8 00 00 06 00 01 00 \
            06 00 00 00""");
    assertThat(RequestBytes.of(Links.create(LinkSettings.named("v0.5"), new Vlan(4, 5))))
        .isEqualTo(
            """
            4c 00 00 00 10 00 05 06 00 00 00 00 00 00 00 00 \
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
            09 00 03 00 76 30 2e 35 00 00 00 00 08 00 05 00 \
            04 00 00 00 18 00 12 80 08 00 01 00 76 6c 61 6e \
            0c 00 02 80 06 00 01 00 05 00 00 00""");
  }

  @Test
  void whatTheKernelLacksIsRefusedWithItsNameAndWhatItHasWorks() {
    int parent = here.veth("v0", "p0").index();

    hasOrRefuses("dummy", "d0", new Dummy());
    hasOrRefuses(
        "ipip", "tunl9", new Ipip(IpAddress.parse("192.0.2.1"), IpAddress.parse("192.0.2.9")));
    hasOrRefuses("vlan", "v0.5", new Vlan(parent, 5));
    hasOrRefuses("bridge", "br1", new Bridge().with(BridgeOption.VLAN_FILTERING, true));
  }

  /** Tries the same with {@code ip} first: both must be permitted the same. */
  private void hasOrRefuses(String kind, String name, LinkKind wanted) {
    boolean known = here.host().tryExec(ipLinkAdd(kind, name)).succeeded();
    if (known) {
      here.net().perform(Links.delete(name));
      assertThat(Links.create(here.net(), LinkSettings.named(name), wanted).kind()).isEqualTo(kind);
    } else {
      assertThatThrownBy(() -> Links.create(here.net(), LinkSettings.named(name), wanted))
          .isInstanceOf(NetlinkException.class)
          .hasMessageStartingWith(
              "create %s \"%s\": Operation not supported (EOPNOTSUPP)".formatted(kind, name))
          .satisfies(e -> assertThat(((NetlinkException) e).is(Errno.EOPNOTSUPP)).isTrue());
      assertThat(here.net().find(Links.named(name))).isEmpty();
    }
  }

  private static String[] ipLinkAdd(String kind, String name) {
    return switch (kind) {
      case "vlan" -> ("ip link add link v0 name " + name + " type vlan id 5").split(" ");
      case "bridge" -> ("ip link add " + name + " type bridge vlan_filtering 1").split(" ");
      case "ipip" ->
          ("ip link add " + name + " type ipip local 192.0.2.1 remote 192.0.2.9").split(" ");
      default -> ("ip link add " + name + " type " + kind).split(" ");
    };
  }

  private static Duration centiseconds(JsonNode shown, String field) {
    return Duration.ofMillis(shown.path(field).intValue() * 10L);
  }
}
