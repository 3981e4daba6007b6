package io.ocicat.netlink.link;

import io.ocicat.netlink.MessageWriter;

/**
 * Message types, headers and common attributes of rtnetlink (linux/rtnetlink.h, linux/if_link.h).
 */
final class Rtnl {
  static final int NEWLINK = 16;
  static final int DELLINK = 17;
  static final int GETLINK = 18;
  static final int SETLINK = 19;
  static final int NEWNEIGH = 28;
  static final int DELNEIGH = 29;
  static final int GETNEIGH = 30;

  static final int GETNSID = 90;

  static final int NSID = 1;
  static final int NSID_FD = 3;

  /** struct rtgenmsg, padded to its alignment. */
  static final int RTGENMSG = 4;

  static final int GROUP_LINK = 1;

  static final int AF_UNSPEC = 0;
  static final int AF_BRIDGE = 7;

  static final int IFF_UP = 0x1;
  static final int IFF_LOOPBACK = 0x8;
  static final int IFF_RUNNING = 0x40;
  static final int IFF_PROMISC = 0x100;
  static final int IFF_ALLMULTI = 0x200;

  static final int ADDRESS = 1;
  static final int IFNAME = 3;
  static final int MTU = 4;
  static final int LINK = 5;
  static final int MASTER = 10;
  static final int TXQLEN = 13;
  static final int LINKINFO = 18;
  static final int IFALIAS = 20;
  static final int AF_SPEC = 26;
  static final int GROUP = 27;
  static final int NET_NS_FD = 28;
  static final int EXT_MASK = 29;
  static final int PROMISCUITY = 30;
  static final int NUM_TX_QUEUES = 31;
  static final int NUM_RX_QUEUES = 32;
  static final int LINK_NETNSID = 37;

  static final int INFO_KIND = 1;
  static final int INFO_DATA = 2;
  static final int INFO_SLAVE_KIND = 4;
  static final int INFO_SLAVE_DATA = 5;

  static final int IFINFOMSG = 16;

  private Rtnl() {}

  /** struct ifinfomsg. */
  static MessageWriter header(MessageWriter out, int family, int index, int flags, int change) {
    return out.field8(family).zeros(3).field32(index).field32(flags).field32(change);
  }

  /** The header that names a link and changes no flag. */
  static MessageWriter header(MessageWriter out, int index) {
    return header(out, AF_UNSPEC, index, 0, 0);
  }

  static int positive(int index) {
    if (index <= 0) {
      throw new IllegalArgumentException("a link's index is positive, not " + index);
    }
    return index;
  }
}
