package io.ocicat.netlink.link;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A forwarding database entry, which says where frames to an address go: in a bridge's table to one
 * of its ports, in a vxlan's own table to another host. Numbers of 0 mean not set.
 *
 * <pre>{@code
 * FdbEntry.onBridge(port, mac)
 * FdbEntry.onSelf(vxlan, mac).to(host)
 * }</pre>
 *
 * @param link the port or the vxlan
 * @param self whether it is the link's own table, rather than its bridge's
 * @param destination the other host, of a vxlan
 * @param port its UDP port, when it is not the vxlan's
 * @param vni its network, when it is not the vxlan's
 * @param via the link to reach it by, when it is not the vxlan's parent
 * @param master the bridge; reported by the kernel, never sent
 */
public record FdbEntry(
    int link,
    MacAddress mac,
    boolean self,
    State state,
    int vlan,
    @Nullable IpAddress destination,
    int port,
    int vni,
    int via,
    int master) {
  private static final int NDMSG = 12;
  private static final int MAC = 6;
  private static final int DESTINATION = 1;
  private static final int LLADDR = 2;
  private static final int VLAN = 5;
  private static final int PORT = 6;
  private static final int VNI = 7;
  private static final int VIA = 8;
  private static final int MASTER = 9;
  private static final int NUD_REACHABLE = 0x02;
  private static final int NUD_NOARP = 0x40;
  private static final int NUD_PERMANENT = 0x80;
  private static final int FLAG_SELF = 0x2;
  private static final int FLAG_MASTER = 0x4;

  /** The lifetime of an entry. */
  public enum State {
    /** For ever; in a bridge: an address of the port itself. */
    PERMANENT(NUD_PERMANENT),
    /** For ever, reached through the port. */
    STATIC(NUD_NOARP | NUD_REACHABLE),
    /** Until it has not been seen for a while. */
    DYNAMIC(NUD_REACHABLE);

    private final int bits;

    State(int bits) {
      this.bits = bits;
    }

    private static State of(int bits) {
      if ((bits & NUD_PERMANENT) != 0) {
        return PERMANENT;
      }
      return (bits & NUD_NOARP) != 0 ? STATIC : DYNAMIC;
    }
  }

  /** Reached through a port of a bridge, until removed. */
  public static FdbEntry onBridge(int port, MacAddress mac) {
    return new FdbEntry(Rtnl.positive(port), mac, false, State.STATIC, 0, null, 0, 0, 0, 0);
  }

  /** In the link's own table, until removed: vxlan, macvlan. */
  public static FdbEntry onSelf(int link, MacAddress mac) {
    return new FdbEntry(Rtnl.positive(link), mac, true, State.PERMANENT, 0, null, 0, 0, 0, 0);
  }

  public FdbEntry withState(State wanted) {
    return new FdbEntry(link, mac, self, wanted, vlan, destination, port, vni, via, master);
  }

  public FdbEntry withVlan(int id) {
    return new FdbEntry(link, mac, self, state, id, destination, port, vni, via, master);
  }

  public FdbEntry to(IpAddress host) {
    return new FdbEntry(link, mac, self, state, vlan, host, port, vni, via, master);
  }

  public FdbEntry withPort(int udp) {
    return new FdbEntry(link, mac, self, state, vlan, destination, udp, vni, via, master);
  }

  public FdbEntry withVni(int network) {
    return new FdbEntry(link, mac, self, state, vlan, destination, port, network, via, master);
  }

  public FdbEntry withVia(int index) {
    return new FdbEntry(link, mac, self, state, vlan, destination, port, vni, index, master);
  }

  /** Whether a message about a neighbour is about an entry, of a link with MAC addresses. */
  static boolean isEntry(NetlinkMessage message) {
    return message.header(NDMSG).get(0) == Rtnl.AF_BRIDGE
        && message.attributes(NDMSG).bytes(LLADDR).orElse(new byte[0]).length == MAC;
  }

  public static FdbEntry read(NetlinkMessage message) {
    ByteBuffer header = message.header(NDMSG);
    Attributes in = message.attributes(NDMSG);
    byte[] mac = in.bytes(LLADDR).orElse(new byte[0]);
    if (mac.length != MAC) {
      throw NetlinkException.malformed("an FDB entry has an address of " + mac.length + " bytes");
    }
    return new FdbEntry(
        header.getInt(4),
        MacAddress.ofBytes(mac),
        (header.get(10) & FLAG_SELF) != 0,
        State.of(header.getShort(8)),
        in.u16(VLAN, 0),
        in.bytes(DESTINATION).map(FdbEntry::address).orElse(null),
        in.be16(PORT, 0),
        in.u32(VNI, 0),
        in.u32(VIA, 0),
        in.u32(MASTER, 0));
  }

  void write(MessageWriter out) {
    header(out, link, state.bits, self ? FLAG_SELF : FLAG_MASTER);
    out.bytes(LLADDR, mac.toByteArray());
    if (destination != null) {
      out.bytes(DESTINATION, destination.toByteArray());
    }
    if (vlan != 0) {
      out.u16(VLAN, vlan);
    }
    if (port != 0) {
      out.be16(PORT, port);
    }
    if (vni != 0) {
      out.u32(VNI, vni);
    }
    if (via != 0) {
      out.u32(VIA, via);
    }
  }

  /** struct ndmsg. */
  static MessageWriter header(MessageWriter out, int link, int state, int flags) {
    return out.field8(Rtnl.AF_BRIDGE).zeros(3).field32(link).field16(state).field8(flags).field8(0);
  }

  static MessageWriter master(MessageWriter out, int bridge) {
    return out.u32(MASTER, bridge);
  }

  private static IpAddress address(byte[] bytes) {
    if (bytes.length != 4 && bytes.length != 16) {
      throw NetlinkException.malformed("an FDB entry leads to " + bytes.length + " bytes");
    }
    return IpAddress.ofBytes(bytes);
  }

  /** In the syntax of {@code bridge fdb}. */
  @Override
  public String toString() {
    return mac
        + " dev "
        + link
        + (destination == null ? "" : " dst " + destination)
        + (port == 0 ? "" : " port " + port)
        + (vni == 0 ? "" : " vni " + vni)
        + (via == 0 ? "" : " via " + via)
        + (vlan == 0 ? "" : " vlan " + vlan)
        + (self ? " self " : " master ")
        + state.name().toLowerCase(Locale.ROOT);
  }
}
