package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.RequestBytes;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * VLANs of bridge ports: on the wire, compared with what iproute2 6.1 sends for the same (it leaves
 * the nested flag 0x80 out), and against the kernel, which has them only with VLAN filtering built
 * in.
 */
@Hosts
class BridgeVlansTest {
  @Test
  void theVlanOfUntaggedFrames() {
    assertThat(RequestBytes.of(BridgeVlans.add(4, BridgeVlan.access(10))))
        .isEqualTo(
            """
            34 00 00 00 13 00 05 00 00 00 00 00 00 00 00 00 \
            07 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 \
            14 00 1a 80 06 00 00 00 01 00 00 00 08 00 02 00 \
            06 00 0a 00""");
  }

  @Test
  void aRangeIsOneMessage() {
    assertThat(RequestBytes.of(BridgeVlans.add(4, BridgeVlan.tagged(10, 20))))
        .isEqualTo(
            """
            3c 00 00 00 13 00 05 00 00 00 00 00 00 00 00 00 \
            07 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 \
            1c 00 1a 80 06 00 00 00 01 00 00 00 08 00 02 00 \
            08 00 0a 00 08 00 02 00 10 00 14 00""");
  }

  @Test
  void theBridgesOwnPort() {
    assertThat(RequestBytes.of(BridgeVlans.addToBridge(2, BridgeVlan.tagged(10))))
        .isEqualTo(
            """
            34 00 00 00 13 00 05 00 00 00 00 00 00 00 00 00 \
            07 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 \
            14 00 1a 80 06 00 00 00 02 00 00 00 08 00 02 00 \
            00 00 0a 00""");
  }

  @Test
  void removal() {
    assertThat(RequestBytes.of(BridgeVlans.delete(4, BridgeVlan.tagged(10))))
        .isEqualTo(
            """
            34 00 00 00 11 00 05 00 00 00 00 00 00 00 00 00 \
            07 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 \
            14 00 1a 80 06 00 00 00 01 00 00 00 08 00 02 00 \
            00 00 0a 00""");
    assertThat(RequestBytes.of(BridgeVlans.deleteFromBridge(4, BridgeVlan.tagged(10))))
        .contains("06 00 00 00 02 00 00 00");
  }

  @Test
  void aPortsVlansAreReadWithTheirRanges() {
    NetlinkMessage message =
        message(
            """
            07 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 \
            24 00 1a 00 \
            08 00 02 00 06 00 01 00 \
            08 00 02 00 08 00 0a 00 08 00 02 00 10 00 14 00 \
            08 00 02 00 04 00 1e 00""");

    assertThat(BridgeVlans.Member.read(message))
        .isEqualTo(
            new BridgeVlans.Member(
                4,
                List.of(
                    BridgeVlan.access(1),
                    BridgeVlan.tagged(10, 20),
                    new BridgeVlan(30, 30, false, true))));
  }

  @Test
  void whatIsReadIsWhatBridgeShowsAndChangesWorkWhereTheKernelHasThem(Host host) {
    try (Machine here = Machine.on(host)) {
      Link bridge = Links.create(here.net(), LinkSettings.named("br0"), new Bridge());
      Link port =
          Links.create(
              here.net(),
              LinkSettings.named("v0").master(bridge.index()),
              new Veth(LinkSettings.named("p0")));

      if (host.tryExec("bridge", "vlan", "add", "dev", "v0", "vid", "9").succeeded()) {
        here.net().perform(BridgeVlans.add(port.index(), BridgeVlan.tagged(10, 20)));
        here.net().perform(BridgeVlans.addToBridge(bridge.index(), BridgeVlan.tagged(10)));
        assertThat(here.net().find(BridgeVlans.of(port.index())).orElseThrow().vlans())
            .contains(BridgeVlan.access(1), BridgeVlan.tagged(9, 20));
        here.net().perform(BridgeVlans.delete(port.index(), BridgeVlan.tagged(9, 20)));
        assertThat(host.json("bridge", "-j", "vlan", "show", "dev", "v0").get(0).path("vlans"))
            .hasSize(1);
      } else {
        assertThatThrownBy(
                () -> here.net().perform(BridgeVlans.add(port.index(), BridgeVlan.access(10))))
            .hasMessageStartingWith(
                "add vid 10 pvid untagged dev %d: Operation not supported (EOPNOTSUPP)"
                    .formatted(port.index()));
        assertThat(here.net().list(BridgeVlans.all())).isEmpty();
        assertThat(here.net().find(BridgeVlans.of(port.index())).orElseThrow().vlans()).isEmpty();
      }
    }
  }

  @Test
  void aLinkThatIsNoPortIsRefused(Host host) {
    try (Machine here = Machine.on(host)) {
      int link = here.veth("v0", "p0").index();

      assertThatThrownBy(() -> here.net().perform(BridgeVlans.add(link, BridgeVlan.tagged(5, 7))))
          .hasMessageStartingWith("add vid 5-7 dev " + link + ": ");
      assertThatThrownBy(() -> here.net().perform(BridgeVlans.add(4711, BridgeVlan.tagged(5))))
          .hasMessageStartingWith("add vid 5 dev 4711: No such device (ENODEV)");
    }
  }

  private static NetlinkMessage message(String hex) {
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(hex);
    return new NetlinkMessage(16, 0, 0, ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
  }
}
