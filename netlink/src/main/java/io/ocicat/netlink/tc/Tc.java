package io.ocicat.netlink.tc;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.function.Supplier;

/** The common parts of all traffic control messages (linux/rtnetlink.h: struct tcmsg and TCA_*). */
final class Tc {
  static final int RTM_NEWQDISC = 36;
  static final int RTM_DELQDISC = 37;
  static final int RTM_GETQDISC = 38;
  static final int RTM_NEWTCLASS = 40;
  static final int RTM_DELTCLASS = 41;
  static final int RTM_GETTCLASS = 42;
  static final int RTM_NEWTFILTER = 44;
  static final int RTM_DELTFILTER = 45;
  static final int RTM_GETTFILTER = 46;

  static final int TCA_KIND = 1;
  static final int TCA_OPTIONS = 2;
  static final int TCA_STATS2 = 7;

  /** struct tcmsg: family and padding, then the fields at these offsets. */
  static final int TCMSG = 20;

  static final int LINK = 4;
  static final int HANDLE = 8;
  static final int PARENT = 12;
  static final int INFO = 16;

  private Tc() {}

  static MessageWriter header(MessageWriter out, int link, int handle, Handle parent, int info) {
    return out.field32(0).field32(link).field32(handle).field32(parent.value()).field32(info);
  }

  static MessageWriter header(MessageWriter out, int link, Handle handle, Handle parent) {
    return header(out, link, handle.value(), parent, 0);
  }

  /** Reads what the kernel sent; impossible values are a malformed response. */
  static <T> T reading(Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException e) {
      throw NetlinkException.malformed(String.valueOf(e.getMessage()));
    }
  }
}
