package io.ocicat.netlink.link;

import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A network interface, as the kernel reports it.
 *
 * @param kind the kernel's name of its kind, such as {@code veth}; empty for loopback and hardware
 * @param mac null for links without an Ethernet address
 * @param flags as in linux/if.h; {@link #isUp} and similar methods read them
 * @param master the index of the bridge it is a port of; 0 when none
 * @param peer the index of a veth's other end, or of the link it sits on; 0 when none
 * @param peerNamespace this namespace's number for the one where the peer is; -1 when it is this
 *     one
 * @param alias empty when none
 * @param promiscuity how many users, the administrator included, want it to receive everything
 * @param txQueueLength in packets
 * @param options those of its kind; null when the kernel reports none or the kind is unknown here
 * @param port its options as a bridge port; null when it is not one
 */
public record Link(
    int index,
    String name,
    String kind,
    @Nullable MacAddress mac,
    int mtu,
    int flags,
    int master,
    int peer,
    int peerNamespace,
    int group,
    String alias,
    int promiscuity,
    int txQueues,
    int rxQueues,
    int txQueueLength,
    @Nullable LinkKind options,
    @Nullable BridgePort port) {

  public static Link read(NetlinkMessage message) {
    ByteBuffer header = message.header(Rtnl.IFINFOMSG);
    Attributes in = message.attributes(Rtnl.IFINFOMSG);
    Attributes info = in.nested(Rtnl.LINKINFO);
    String kind = info.text(Rtnl.INFO_KIND, "");
    int peer = in.u32(Rtnl.LINK, 0);
    return new Link(
        header.getInt(4),
        in.text(Rtnl.IFNAME).orElseThrow(() -> NetlinkException.malformed("a link has no name")),
        kind,
        in.bytes(Rtnl.ADDRESS).map(Link::mac).orElse(null),
        in.u32(Rtnl.MTU, 0),
        header.getInt(8),
        in.u32(Rtnl.MASTER, 0),
        peer,
        in.u32(Rtnl.LINK_NETNSID, -1),
        in.u32(Rtnl.GROUP, 0),
        in.text(Rtnl.IFALIAS, ""),
        in.u32(Rtnl.PROMISCUITY, 0),
        in.u32(Rtnl.NUM_TX_QUEUES, 1),
        in.u32(Rtnl.NUM_RX_QUEUES, 1),
        in.u32(Rtnl.TXQLEN, 0),
        LinkInfo.read(kind, peer, info.nested(Rtnl.INFO_DATA)),
        port(info));
  }

  /** Whether it is administratively up. */
  public boolean isUp() {
    return (flags & Rtnl.IFF_UP) != 0;
  }

  /** Whether it is up and has a carrier: its cable is plugged in, or its peer is up. */
  public boolean isRunning() {
    return (flags & Rtnl.IFF_RUNNING) != 0;
  }

  public boolean isLoopback() {
    return (flags & Rtnl.IFF_LOOPBACK) != 0;
  }

  /**
   * Whether it was configured to receive everything; {@link #promiscuity} also counts bridges and
   * other users.
   */
  public boolean isPromiscuous() {
    return (flags & Rtnl.IFF_PROMISC) != 0;
  }

  /**
   * Whether it was configured to receive all multicast, even for groups that nobody here has
   * joined.
   */
  public boolean isAllMulticast() {
    return (flags & Rtnl.IFF_ALLMULTI) != 0;
  }

  /** The options, if it is of this kind and the kernel reports them: {@code as(Vxlan.class)}. */
  public <K extends LinkKind> Optional<K> as(Class<K> wanted) {
    return Optional.ofNullable(options).filter(wanted::isInstance).map(wanted::cast);
  }

  private static @Nullable MacAddress mac(byte[] address) {
    return address.length == 6 ? MacAddress.ofBytes(address) : null;
  }

  private static @Nullable BridgePort port(Attributes info) {
    boolean onBridge = info.text(Rtnl.INFO_SLAVE_KIND, "").equals(BridgePort.KIND);
    return onBridge ? BridgePort.read(info.nested(Rtnl.INFO_SLAVE_DATA)) : null;
  }
}
