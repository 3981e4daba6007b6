package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.RequestBytes;
import io.ocicat.netlink.link.FdbEntry.State;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Forwarding tables of bridges and vxlans, checked with {@code bridge}. */
@Hosts
class FdbTest {
  private static final MacAddress MAC = MacAddress.parse("02:00:5e:10:00:01");
  private static final MacAddress ZERO = MacAddress.parse("00:00:00:00:00:00");
  private static final IpAddress NODE = IpAddress.parse("192.0.2.7");
  private static final IpAddress OTHER_NODE = IpAddress.parse("192.0.2.8");

  private Machine here;
  private Link bridge;
  private Link port;
  private Link vxlan;

  @BeforeEach
  void open(Host host) {
    here = Machine.on(host);
    bridge = Links.create(here.net(), LinkSettings.named("br0").up(), new Bridge());
    port =
        Links.create(
            here.net(),
            LinkSettings.named("v0").master(bridge.index()).up(),
            new Veth(LinkSettings.named("p0")),
            Links.set("p0", LinkSettings.none().up()));
    // A port without carrier is detected a moment later and loses its learnt addresses.
    Eventually.await(
        "the port forwards",
        () ->
            host.json("bridge", "-j", "link", "show", "dev", "v0")
                .at("/0/state")
                .asString()
                .equals("forwarding"));
    vxlan =
        Links.create(
            here.net(),
            LinkSettings.named("vx0").up(),
            new Vxlan(1).withPort(4789).with(VxlanOption.LEARNING, false));
  }

  @AfterEach
  void close() {
    here.close();
  }

  @Test
  void aVxlanLearnsByHandWhereAnAddressIs() {
    FdbEntry entry = FdbEntry.onSelf(vxlan.index(), MAC).to(NODE);

    here.net().perform(Fdb.add(entry));

    JsonNode shown = show("vx0", MAC).getFirst();
    assertThat(shown.path("dst").stringValue()).isEqualTo(NODE.toString());
    assertThat(shown.path("state").stringValue()).isEqualTo("permanent");
    assertThat(shown.path("flags").toString()).contains("self");
    assertThat(here.net().list(Fdb.of(vxlan.index()))).containsExactly(entry);

    assertThatThrownBy(() -> here.net().perform(Fdb.add(entry)))
        .hasMessageStartingWith(
            "add fdb entry 02:00:5e:10:00:01 dev %d dst 192.0.2.7 self permanent: File exists"
                .formatted(vxlan.index()));

    here.net().perform(Fdb.delete(entry));
    assertThat(show("vx0", MAC)).isEmpty();
    assertThatThrownBy(() -> here.net().perform(Fdb.delete(entry)))
        .hasMessageContaining("No such file or directory (ENOENT)");
  }

  @Test
  void everythingAboutTheOtherHostIsToldAndRead() {
    IpAddress node = IpAddress.parse("198.51.100.9");
    FdbEntry entry =
        FdbEntry.onSelf(vxlan.index(), MAC)
            .to(node)
            .withPort(8472)
            .withVni(77)
            .withVia(port.index());

    here.net().perform(Fdb.add(entry));

    JsonNode shown = show("vx0", MAC).getFirst();
    assertThat(shown.path("dst").stringValue()).isEqualTo(node.toString());
    assertThat(shown.path("port").intValue()).isEqualTo(8472);
    assertThat(shown.path("vni").intValue()).isEqualTo(77);
    assertThat(shown.path("viaIf").stringValue("")).isEqualTo("v0");
    assertThat(here.net().list(Fdb.of(vxlan.index()))).containsExactly(entry);
  }

  @Test
  void broadcastsOfAVxlanGoToEveryHostThatWasAppended() {
    FdbEntry first = FdbEntry.onSelf(vxlan.index(), ZERO).to(NODE);
    FdbEntry second = first.to(OTHER_NODE);

    here.net().perform(Fdb.append(first), Fdb.append(second));

    assertThat(show("vx0", ZERO))
        .extracting(entry -> entry.path("dst").stringValue())
        .containsExactlyInAnyOrder(NODE.toString(), OTHER_NODE.toString());

    here.net().perform(Fdb.delete(first));
    assertThat(here.net().list(Fdb.of(vxlan.index()))).containsExactly(second);
  }

  @Test
  void anAddressMovesToAnotherHost() {
    FdbEntry entry = FdbEntry.onSelf(vxlan.index(), MAC).to(NODE);
    here.net().perform(Fdb.replace(entry), Fdb.replace(entry.to(OTHER_NODE)));

    assertThat(show("vx0", MAC))
        .extracting(shown -> shown.path("dst").stringValue())
        .containsExactly(OTHER_NODE.toString());
  }

  @Test
  void aBridgeIsToldWhatIsBehindAPort() {
    FdbEntry entry = FdbEntry.onBridge(port.index(), MAC);
    FdbEntry aged =
        FdbEntry.onBridge(port.index(), MacAddress.parse("02:00:5e:10:00:09"))
            .withState(State.DYNAMIC);

    here.net().perform(Fdb.add(entry), Fdb.add(aged));

    assertThat(show("v0", MAC).getFirst().path("state").stringValue()).isEqualTo("static");
    assertThat(show("v0", aged.mac()).getFirst().path("state").stringValue("")).isEmpty();
    assertThat(here.net().list(Fdb.ofBridge(bridge.index())))
        .contains(inBridge(entry), inBridge(aged))
        .allMatch(found -> found.master() == bridge.index());
    assertThat(here.net().list(Fdb.of(port.index()))).contains(inBridge(entry), inBridge(aged));
    assertThat(here.net().list(Fdb.of(vxlan.index()))).isEmpty();

    here.net().perform(Fdb.delete(entry));
    assertThat(show("v0", MAC)).isEmpty();
  }

  @Test
  void aPortsOwnAddressIsPermanent() {
    assertThat(here.net().list(Fdb.of(port.index())))
        .anyMatch(entry -> entry.mac().equals(port.mac()) && entry.state() == State.PERMANENT);
  }

  @Test
  void theWholeListIsWhatBridgeShows() {
    here.net()
        .perform(
            IntStream.range(0, 300)
                .mapToObj(
                    i ->
                        Fdb.add(
                            FdbEntry.onSelf(vxlan.index(), new MacAddress(0x020000000000L + i))
                                .to(NODE)))
                .toList());

    // The kernel keeps adding multicast addresses to links that have just come up.
    Eventually.passes(
        Duration.ofSeconds(10),
        () -> {
          int shown = here.host().json("bridge", "-j", "fdb", "show").size();
          assertThat(here.net().list(Fdb.all())).hasSize(shown).hasSizeGreaterThan(300);
        });
  }

  @Test
  void aLinkThatIsMissingOrNoPortIsRefused() {
    assertThatThrownBy(() -> here.net().perform(Fdb.add(FdbEntry.onSelf(4711, MAC))))
        .hasMessageStartingWith("add fdb entry 02:00:5e:10:00:01 dev 4711 self permanent: ")
        .hasMessageContaining("ENODEV");
    assertThatThrownBy(
            () -> here.net().perform(Fdb.add(FdbEntry.onBridge(here.link("p0").index(), MAC))))
        .hasMessageContaining("(EOPNOTSUPP)");
  }

  /** Captured from {@code bridge fdb add 02:… dev v0 master static vlan 9}, with dev 4. */
  @Test
  void anEntryOfAVlanIsAskedForAsIproute2Does() {
    assertThat(RequestBytes.of(Fdb.add(FdbEntry.onBridge(4, MAC).withVlan(9))))
        .isEqualTo(
            """
            30 00 00 00 1c 00 05 06 00 00 00 00 00 00 00 00 \
            07 00 00 00 04 00 00 00 42 00 04 00 0a 00 02 00 \
            02 00 5e 10 00 01 00 00 06 00 05 00 09 00 00 00""");
  }

  /** The entry as the bridge reports it: with its own index. */
  private FdbEntry inBridge(FdbEntry entry) {
    return new FdbEntry(
        entry.link(),
        entry.mac(),
        entry.self(),
        entry.state(),
        entry.vlan(),
        entry.destination(),
        entry.port(),
        entry.vni(),
        entry.via(),
        bridge.index());
  }

  private List<JsonNode> show(String link, MacAddress mac) {
    JsonNode all = here.host().json("bridge", "-j", "fdb", "show", "dev", link);
    return StreamSupport.stream(all.spliterator(), false)
        .filter(entry -> entry.path("mac").stringValue().equals(mac.toString()))
        .toList();
  }
}
