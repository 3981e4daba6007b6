package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;
import java.util.Locale;

/** A point on a packet's path through the kernel where base chains are called. */
public enum Hook {
  PREROUTING,
  INPUT,
  FORWARD,
  OUTPUT,
  POSTROUTING,
  /** Right after the device; in families inet and netdev. */
  INGRESS,
  /** Right before the device; in family netdev. */
  EGRESS;

  /** Each family has its own numbers for hooks (linux/netfilter*.h). */
  int number(TableFamily family) {
    int number = numberOrNone(family);
    if (number < 0) {
      throw new IllegalArgumentException("family " + family + " has no hook " + this);
    }
    return number;
  }

  private int numberOrNone(TableFamily family) {
    return switch (family) {
      case IP, IP6, BRIDGE -> this == INGRESS ? -1 : numberInInet();
      case INET -> numberInInet();
      case ARP ->
          switch (this) {
            case INPUT -> 0;
            case OUTPUT -> 1;
            case FORWARD -> 2;
            case PREROUTING, POSTROUTING, INGRESS, EGRESS -> -1;
          };
      case NETDEV ->
          switch (this) {
            case INGRESS -> 0;
            case EGRESS -> 1;
            case PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING -> -1;
          };
    };
  }

  private int numberInInet() {
    return switch (this) {
      case PREROUTING -> 0;
      case INPUT -> 1;
      case FORWARD -> 2;
      case OUTPUT -> 3;
      case POSTROUTING -> 4;
      case INGRESS -> 5;
      case EGRESS -> -1;
    };
  }

  static Hook of(TableFamily family, int number) {
    for (Hook hook : values()) {
      if (number >= 0 && hook.numberOrNone(family) == number) {
        return hook;
      }
    }
    throw NetlinkException.malformed("hook " + number + " of family " + family + " is unknown");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
