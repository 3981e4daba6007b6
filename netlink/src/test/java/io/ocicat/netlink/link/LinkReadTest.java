package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.RequestBytes;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Dummy;
import io.ocicat.netlink.link.LinkKind.Ifb;
import io.ocicat.netlink.link.LinkKind.Ipip;
import io.ocicat.netlink.link.LinkKind.Macvlan;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkKind.Vlan;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Seeded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the bytes, reading gives an object or a clean exception. */
@Hosts
class LinkReadTest {
  private static final int NETLINK_HEADER = 16;
  private static final int NDMSG = 12;

  @Test
  void randomBytesAreReadOrRefused() {
    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes = new byte[random.nextInt(200)];
          random.nextBytes(bytes);
          readAsEverything(bytes);
        });
  }

  @Test
  void realMessagesWithDamageAreReadOrRefused(Host host) {
    List<byte[]> messages = realMessages(host);
    kinds().forEach(kind -> messages.add(requestFor(kind)));

    Seeded.forAll(
        20_000,
        random -> {
          byte[] bytes = messages.get(random.nextInt(messages.size())).clone();
          readAsEverything(damaged(bytes, random));
        });
  }

  static List<LinkKind> kinds() {
    return List.of(
        new Bridge()
            .with(BridgeOption.VLAN_FILTERING, true)
            .with(BridgeOption.STP, false)
            .withDefaultPvid(9)
            .withForwardDelay(Duration.ofMillis(2010))
            .withAgeing(Duration.ofSeconds(30)),
        new Macvlan(7, Macvlan.Mode.SOURCE)
            .withBroadcastQueue(12)
            .withSources(List.of(MacAddress.parse("02:00:00:00:00:05"))),
        new Vxlan(77)
            .withLocal(IpAddress.parse("2001:db8::1"))
            .withRemote(IpAddress.parse("192.0.2.9"))
            .withParent(3)
            .withPort(4789)
            .withTtl(5)
            .withGbp()
            .with(VxlanOption.LEARNING, true)
            .with(VxlanOption.UDP_CHECKSUM, false),
        new Vlan(7, 4094),
        new Vlan(7, 0, Vlan.Tag.DOT1AD),
        new Ipip(),
        new Ipip(IpAddress.parse("192.0.2.1"), IpAddress.parse("192.0.2.9")),
        new Ifb(),
        new Dummy());
  }

  /** A request to create a link has the form of the response that describes it. */
  @ParameterizedTest
  @MethodSource("kinds")
  void whatIsWrittenIsReadAsTheSame(LinkKind kind) {
    Link read = Link.read(message(requestFor(kind)));

    assertThat(read.options()).isEqualTo(kind);
    assertThat(read.kind()).isEqualTo(kind.kind());
  }

  @Test
  void aModeOfTheFutureIsNotUnderstoodButDoesNoHarm() {
    byte[] bytes = requestFor(new Macvlan(7, Macvlan.Mode.BRIDGE));
    int mode = indexOf(bytes, new byte[] {8, 0, 1, 0, 4, 0, 0, 0}) + 4;
    bytes[mode] = 64;

    assertThat(Link.read(message(bytes)).options()).isNull();
  }

  @Test
  void aLinkWithoutANameIsRefused() {
    assertThatThrownBy(() -> Link.read(message(new byte[16])))
        .isInstanceOf(NetlinkException.class)
        .hasMessageEndingWith("a link has no name");
    assertThatThrownBy(() -> Link.read(message(new byte[15]))).isInstanceOf(NetlinkException.class);
  }

  private static void readAsEverything(byte[] bytes) {
    NetlinkMessage message = message(bytes);
    List<Runnable> readers =
        List.of(
            () -> Link.read(message),
            () -> FdbEntry.read(message),
            () -> BridgeVlans.Member.read(message));
    for (Runnable reader : readers) {
      try {
        reader.run();
      } catch (NetlinkException refused) {
        assertThat(refused).hasMessageStartingWith("read the kernel's answer: ");
      }
    }
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    int hits = 1 + random.nextInt(4);
    for (int i = 0; i < hits; i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  private static List<byte[]> realMessages(Host host) {
    try (Machine here = Machine.on(host)) {
      Link bridge = Links.create(here.net(), LinkSettings.named("br0"), new Bridge());
      Link port =
          Links.create(
              here.net(),
              LinkSettings.named("v0").master(bridge.index()),
              new Veth(LinkSettings.named("p0")));
      Link vxlan = Links.create(here.net(), LinkSettings.named("vx0"), new Vxlan(5));
      here.net()
          .perform(
              Links.create(LinkSettings.named("m0"), new Macvlan(port.peer(), Macvlan.Mode.BRIDGE)),
              Fdb.add(
                  FdbEntry.onSelf(vxlan.index(), MacAddress.parse("02:00:00:00:00:01"))
                      .to(IpAddress.parse("192.0.2.1"))));
      List<byte[]> messages = new ArrayList<>();
      messages.addAll(payloads(here, Rtnl.GETLINK, Rtnl.IFINFOMSG, Rtnl.AF_UNSPEC));
      messages.addAll(payloads(here, Rtnl.GETLINK, Rtnl.IFINFOMSG, Rtnl.AF_BRIDGE));
      messages.addAll(payloads(here, Rtnl.GETNEIGH, NDMSG, Rtnl.AF_BRIDGE));
      assertThat(messages).hasSizeGreaterThan(10);
      return messages;
    }
  }

  private static List<byte[]> payloads(Machine here, int type, int header, int family) {
    NetlinkQuery<NetlinkMessage> raw =
        NetlinkQuery.all(
            type,
            out -> out.field8(family).zeros(header - 1),
            message -> message,
            () -> "list everything");
    return here.net().list(raw).stream()
        .map(
            message -> {
              byte[] bytes = new byte[message.payload().limit()];
              message.payload().get(0, bytes);
              return bytes;
            })
        .toList();
  }

  private static byte[] requestFor(LinkKind kind) {
    NetlinkRequest request = Links.create(LinkSettings.named("x0"), kind);
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(RequestBytes.of(request));
    return Arrays.copyOfRange(bytes, NETLINK_HEADER, bytes.length);
  }

  private static NetlinkMessage message(byte[] payload) {
    return new NetlinkMessage(
        Rtnl.NEWLINK, 0, 0, ByteBuffer.wrap(payload).order(ByteOrder.nativeOrder()));
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int at = 0; at <= bytes.length - wanted.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    throw new AssertionError("not found");
  }
}
