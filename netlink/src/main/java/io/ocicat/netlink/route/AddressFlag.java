package io.ocicat.netlink.route;

import java.util.EnumSet;
import java.util.Set;

/** The properties of an address (linux/if_addr.h). */
public enum AddressFlag {
  /** Not the first of its IPv4 subnet on the link; for IPv6, a temporary address. */
  SECONDARY(0x01),
  /** No duplicate address detection: an IPv6 address is usable at once. */
  NODAD(0x02),
  /** Usable during duplicate address detection. */
  OPTIMISTIC(0x04),
  /** Another host has the address; it stays unusable. */
  DADFAILED(0x08),
  HOMEADDRESS(0x10),
  /** Past its preferred lifetime: not for new connections. */
  DEPRECATED(0x20),
  /** Duplicate address detection is running, or has failed. */
  TENTATIVE(0x40),
  /** With an unlimited lifetime. */
  PERMANENT(0x80),
  MANAGETEMPADDR(0x100),
  /** The kernel adds no route to the address's subnet. */
  NOPREFIXROUTE(0x200),
  MCAUTOJOIN(0x400),
  STABLE_PRIVACY(0x800);

  private final int bit;

  AddressFlag(int bit) {
    this.bit = bit;
  }

  static Set<AddressFlag> ofBits(int bits) {
    Set<AddressFlag> flags = EnumSet.noneOf(AddressFlag.class);
    for (AddressFlag flag : values()) {
      if ((bits & flag.bit) != 0) {
        flags.add(flag);
      }
    }
    return flags;
  }

  static int toBits(Set<AddressFlag> flags) {
    int bits = 0;
    for (AddressFlag flag : flags) {
      bits |= flag.bit;
    }
    return bits;
  }
}
