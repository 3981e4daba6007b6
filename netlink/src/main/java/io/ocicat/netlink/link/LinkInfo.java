package io.ocicat.netlink.link;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Dummy;
import io.ocicat.netlink.link.LinkKind.Ifb;
import io.ocicat.netlink.link.LinkKind.Ipip;
import io.ocicat.netlink.link.LinkKind.Macvlan;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkKind.Vlan;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the attribute IFLA_LINKINFO: the kind of a link and the options of that kind.
 */
final class LinkInfo {
  private static final int VETH_PEER = 1;

  private static final int BRIDGE_FORWARD_DELAY = 1;
  private static final int BRIDGE_AGEING = 4;
  private static final int BRIDGE_DEFAULT_PVID = 39;

  private static final int MACVLAN_MODE = 1;
  private static final int MACVLAN_MACADDR_MODE = 3;
  private static final int MACVLAN_MACADDR = 4;
  private static final int MACVLAN_MACADDR_DATA = 5;
  private static final int MACVLAN_BC_QUEUE_LEN = 7;
  private static final int MACVLAN_MACADDR_SET = 3;

  private static final int VXLAN_ID = 1;
  private static final int VXLAN_GROUP = 2;
  private static final int VXLAN_LINK = 3;
  private static final int VXLAN_LOCAL = 4;
  private static final int VXLAN_TTL = 5;
  private static final int VXLAN_PORT = 15;
  private static final int VXLAN_GROUP6 = 16;
  private static final int VXLAN_LOCAL6 = 17;
  private static final int VXLAN_GBP = 23;

  private static final int IPTUN_LOCAL = 2;
  private static final int IPTUN_REMOTE = 3;

  private static final int VLAN_ID = 1;
  private static final int VLAN_PROTOCOL = 5;

  /** The kernel reports times to user space in hundredths of a second, whatever its own clock. */
  private static final int TICK_MILLIS = 10;

  private LinkInfo() {}

  /** Writes the kind, and the parent that some kinds have in the message's own attributes. */
  static void write(MessageWriter out, LinkKind kind) {
    switch (kind) {
      case Macvlan macvlan -> out.u32(Rtnl.LINK, macvlan.parent());
      case Vlan vlan -> out.u32(Rtnl.LINK, vlan.parent());
      case Veth _, Bridge _, Vxlan _, Ipip _, Ifb _, Dummy _ -> {}
    }
    out.nest(
        Rtnl.LINKINFO,
        () -> {
          out.bytes(Rtnl.INFO_KIND, ascii(kind.kind()));
          writeData(out, kind);
        });
  }

  static byte[] ascii(String kind) {
    return kind.getBytes(US_ASCII);
  }

  private static void writeData(MessageWriter out, LinkKind kind) {
    switch (kind) {
      case Veth(LinkSettings peer) ->
          data(out, () -> out.structure(VETH_PEER, () -> peer.write(out)));
      case Bridge bridge -> data(out, () -> writeBridge(out, bridge));
      case Macvlan macvlan -> data(out, () -> writeMacvlan(out, macvlan));
      case Vxlan vxlan -> data(out, () -> writeVxlan(out, vxlan));
      case Ipip ipip -> data(out, () -> writeIpip(out, ipip));
      case Vlan vlan -> data(out, () -> writeVlan(out, vlan));
      case Ifb _, Dummy _ -> {}
    }
  }

  private static void data(MessageWriter out, Runnable content) {
    out.nest(Rtnl.INFO_DATA, content);
  }

  private static void writeVlan(MessageWriter out, Vlan vlan) {
    if (vlan.tag() != Vlan.Tag.DOT1Q) {
      out.be16(VLAN_PROTOCOL, vlan.tag().number);
    }
    out.u16(VLAN_ID, vlan.id());
  }

  private static void writeBridge(MessageWriter out, Bridge bridge) {
    Toggle.write(out, bridge.options());
    if (bridge.defaultPvid() != null) {
      out.u16(BRIDGE_DEFAULT_PVID, bridge.defaultPvid());
    }
    if (bridge.forwardDelay() != null) {
      out.u32(BRIDGE_FORWARD_DELAY, ticks(bridge.forwardDelay()));
    }
    if (bridge.ageing() != null) {
      out.u32(BRIDGE_AGEING, ticks(bridge.ageing()));
    }
  }

  private static void writeMacvlan(MessageWriter out, Macvlan macvlan) {
    out.u32(MACVLAN_MODE, macvlan.mode().number);
    if (macvlan.broadcastQueue() != 0) {
      out.u32(MACVLAN_BC_QUEUE_LEN, macvlan.broadcastQueue());
    }
    if (!macvlan.sources().isEmpty()) {
      out.u32(MACVLAN_MACADDR_MODE, MACVLAN_MACADDR_SET);
      out.nest(
          MACVLAN_MACADDR_DATA,
          () -> macvlan.sources().forEach(mac -> out.bytes(MACVLAN_MACADDR, mac.toByteArray())));
    }
  }

  private static void writeVxlan(MessageWriter out, Vxlan vxlan) {
    out.u32(VXLAN_ID, vxlan.id());
    writeAddress(out, vxlan.local(), VXLAN_LOCAL, VXLAN_LOCAL6);
    writeAddress(out, vxlan.remote(), VXLAN_GROUP, VXLAN_GROUP6);
    if (vxlan.parent() != 0) {
      out.u32(VXLAN_LINK, vxlan.parent());
    }
    if (vxlan.port() != 0) {
      out.be16(VXLAN_PORT, vxlan.port());
    }
    if (vxlan.ttl() != 0) {
      out.u8(VXLAN_TTL, vxlan.ttl());
    }
    if (vxlan.gbp()) {
      out.flag(VXLAN_GBP);
    }
    Toggle.write(out, vxlan.options());
  }

  private static void writeIpip(MessageWriter out, Ipip ipip) {
    if (ipip.local() != null) {
      out.bytes(IPTUN_LOCAL, ipip.local().toByteArray());
    }
    if (ipip.remote() != null) {
      out.bytes(IPTUN_REMOTE, ipip.remote().toByteArray());
    }
  }

  private static void writeAddress(MessageWriter out, @Nullable IpAddress address, int v4, int v6) {
    if (address != null) {
      out.bytes(address.isV4() ? v4 : v6, address.toByteArray());
    }
  }

  /**
   * The options of a link; null when its kind has none (veth) or is unknown here.
   *
   * @param parent the value of IFLA_LINK
   */
  static @Nullable LinkKind read(String kind, int parent, Attributes data) {
    try {
      return switch (kind) {
        case "bridge" -> readBridge(data);
        case "macvlan" -> readMacvlan(parent, data);
        case "vxlan" -> readVxlan(data);
        case "ipip" ->
            new Ipip(tunnelAddress(data, IPTUN_LOCAL), tunnelAddress(data, IPTUN_REMOTE));
        case "vlan" -> readVlan(parent, data);
        case "ifb" -> new Ifb();
        case "dummy" -> new Dummy();
        default -> null;
      };
    } catch (IllegalArgumentException e) {
      throw NetlinkException.malformed("a %s link with %s".formatted(kind, e.getMessage()));
    }
  }

  private static Bridge readBridge(Attributes data) {
    return new Bridge(
        Toggle.read(data, BridgeOption.class),
        data.has(BRIDGE_DEFAULT_PVID) ? data.u16(BRIDGE_DEFAULT_PVID, 0) : null,
        duration(data, BRIDGE_FORWARD_DELAY),
        duration(data, BRIDGE_AGEING));
  }

  private static @Nullable Macvlan readMacvlan(int parent, Attributes data) {
    int number = data.u32(MACVLAN_MODE, 0);
    List<MacAddress> sources =
        data.nested(MACVLAN_MACADDR_DATA).structures(MACVLAN_MACADDR, 6).stream()
            .map(LinkInfo::mac)
            .toList();
    return Arrays.stream(Macvlan.Mode.values())
        .filter(mode -> mode.number == number)
        .findFirst()
        .map(mode -> new Macvlan(parent, mode, data.u32(MACVLAN_BC_QUEUE_LEN, 0), sources))
        .orElse(null);
  }

  private static MacAddress mac(ByteBuffer in) {
    byte[] bytes = new byte[6];
    in.get(0, bytes);
    return MacAddress.ofBytes(bytes);
  }

  private static Vxlan readVxlan(Attributes data) {
    return new Vxlan(
        data.u32(VXLAN_ID, 0),
        readAddress(data, VXLAN_LOCAL, VXLAN_LOCAL6),
        readAddress(data, VXLAN_GROUP, VXLAN_GROUP6),
        data.u32(VXLAN_LINK, 0),
        data.be16(VXLAN_PORT, 0),
        data.u8(VXLAN_TTL, 0),
        data.has(VXLAN_GBP),
        Toggle.read(data, VxlanOption.class));
  }

  private static @Nullable Vlan readVlan(int parent, Attributes data) {
    int number = data.be16(VLAN_PROTOCOL, Vlan.Tag.DOT1Q.number);
    return Arrays.stream(Vlan.Tag.values())
        .filter(tag -> tag.number == number)
        .findFirst()
        .map(tag -> new Vlan(parent, data.u16(VLAN_ID, 0), tag))
        .orElse(null);
  }

  /** The kernel reports the absent address as 0.0.0.0. */
  private static @Nullable IpAddress tunnelAddress(Attributes data, int type) {
    return data.bytes(type)
        .map(IpAddress::ofBytes)
        .filter(address -> !address.isUnspecified())
        .orElse(null);
  }

  private static @Nullable IpAddress readAddress(Attributes data, int v4, int v6) {
    Optional<byte[]> bytes = data.bytes(v4).or(() -> data.bytes(v6));
    return bytes.map(IpAddress::ofBytes).orElse(null);
  }

  private static int ticks(Duration time) {
    return Math.toIntExact(time.toMillis() / TICK_MILLIS);
  }

  private static @Nullable Duration duration(Attributes data, int type) {
    return data.has(type)
        ? Duration.ofMillis(Integer.toUnsignedLong(data.u32(type, 0)) * TICK_MILLIS)
        : null;
  }
}
