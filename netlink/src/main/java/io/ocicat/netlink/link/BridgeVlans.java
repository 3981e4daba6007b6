package io.ocicat.netlink.link;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Requests and queries about the VLANs of bridge ports, and of the bridge's own port to the host.
 */
public final class BridgeVlans {
  private static final int BRIDGE_FLAGS = 0;
  private static final int VLAN_INFO = 2;
  private static final int VLAN_INFO_SIZE = 4;

  private static final int MASTER = 1;
  private static final int SELF = 2;

  private static final int PVID = 1 << 1;
  private static final int UNTAGGED = 1 << 2;
  private static final int RANGE_BEGIN = 1 << 3;
  private static final int RANGE_END = 1 << 4;

  /** Requests VLANs, with adjacent ones of equal flags as one range. */
  private static final int VLANS_AS_RANGES = 4;

  private BridgeVlans() {}

  /** The VLANs of one link: a port, or the bridge itself. */
  public record Member(int link, List<BridgeVlan> vlans) {
    public Member {
      vlans = List.copyOf(vlans);
    }

    public static Member read(NetlinkMessage message) {
      List<BridgeVlan> vlans = new ArrayList<>();
      int begin = 0;
      for (ByteBuffer in :
          message
              .attributes(Rtnl.IFINFOMSG)
              .nested(Rtnl.AF_SPEC)
              .structures(VLAN_INFO, VLAN_INFO_SIZE)) {
        int flags = in.getShort(0);
        int id = Short.toUnsignedInt(in.getShort(2));
        if ((flags & RANGE_BEGIN) != 0) {
          begin = id;
        } else {
          vlans.add(vlan((flags & RANGE_END) != 0 ? begin : id, id, flags));
        }
      }
      return new Member(message.header(Rtnl.IFINFOMSG).getInt(4), vlans);
    }

    private static BridgeVlan vlan(int first, int last, int flags) {
      try {
        return new BridgeVlan(first, last, (flags & PVID) != 0, (flags & UNTAGGED) != 0);
      } catch (IllegalArgumentException e) {
        throw NetlinkException.malformed(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Every bridge and port that has VLANs. */
  public static NetlinkQuery<Member> all() {
    return list(member -> !member.vlans().isEmpty());
  }

  /** The VLANs of a port or a bridge. */
  public static NetlinkQuery<Member> of(int link) {
    Rtnl.positive(link);
    return list(member -> member.link() == link);
  }

  public static NetlinkRequest add(int port, BridgeVlan vlan) {
    return change(Rtnl.SETLINK, port, MASTER, vlan, "add " + vlan + " dev " + port);
  }

  public static NetlinkRequest delete(int port, BridgeVlan vlan) {
    return change(Rtnl.DELLINK, port, MASTER, vlan, "delete " + vlan + " dev " + port);
  }

  /** Lets the host itself take part in a VLAN, through the bridge as its interface. */
  public static NetlinkRequest addToBridge(int bridge, BridgeVlan vlan) {
    return change(Rtnl.SETLINK, bridge, SELF, vlan, "add " + vlan + " dev " + bridge + " self");
  }

  public static NetlinkRequest deleteFromBridge(int bridge, BridgeVlan vlan) {
    return change(Rtnl.DELLINK, bridge, SELF, vlan, "delete " + vlan + " dev " + bridge + " self");
  }

  private static NetlinkRequest change(
      int type, int link, int whose, BridgeVlan vlan, String operation) {
    Rtnl.positive(link);
    return NetlinkRequest.of(
        type,
        0,
        out ->
            Rtnl.header(out, Rtnl.AF_BRIDGE, link, 0, 0)
                .nest(
                    Rtnl.AF_SPEC,
                    () -> {
                      out.u16(BRIDGE_FLAGS, whose);
                      write(out, vlan);
                    }),
        () -> operation);
  }

  private static void write(MessageWriter out, BridgeVlan vlan) {
    int flags = (vlan.pvid() ? PVID : 0) | (vlan.untagged() ? UNTAGGED : 0);
    if (vlan.first() == vlan.last()) {
      write(out, vlan.first(), flags);
    } else {
      write(out, vlan.first(), flags | RANGE_BEGIN);
      write(out, vlan.last(), flags | RANGE_END);
    }
  }

  private static void write(MessageWriter out, int id, int flags) {
    out.structure(VLAN_INFO, () -> out.field16(flags).field16(id));
  }

  private static NetlinkQuery<Member> list(Predicate<Member> wanted) {
    return NetlinkQuery.all(
            Rtnl.GETLINK,
            out -> Rtnl.header(out, Rtnl.AF_BRIDGE, 0, 0, 0).u32(Rtnl.EXT_MASK, VLANS_AS_RANGES),
            Member::read,
            () -> "list VLANs of bridges")
        .where(wanted);
  }
}
