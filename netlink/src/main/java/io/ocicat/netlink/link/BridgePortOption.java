package io.ocicat.netlink.link;

import java.util.Locale;

/** An on/off option of a bridge port (linux/if_link.h, IFLA_BRPORT_). */
public enum BridgePortOption implements Toggle {
  /** Frames may leave through the port they came from. */
  HAIRPIN(4),
  /** A spanning-tree message shuts the port. */
  GUARD(5),
  /** Never the way to the spanning tree's root. */
  ROOT_BLOCK(6),
  /** A multicast group is left at once when the port says so. */
  FAST_LEAVE(7),
  LEARNING(8),
  /** Frames to unknown addresses leave here, too. */
  FLOOD(9),
  PROXY_ARP(10),
  MULTICAST_FLOOD(27),
  MULTICAST_TO_UNICAST(28),
  /** VLAN ids are mapped to tunnel ids. */
  VLAN_TUNNEL(29),
  BROADCAST_FLOOD(30),
  /** The bridge answers ARP and neighbour discovery. */
  NEIGHBOUR_SUPPRESS(32),
  /** Can only reach ports that are not isolated. */
  ISOLATED(33),
  /** Only addresses configured by hand may send. */
  LOCKED(39);

  private final int attribute;

  BridgePortOption(int attribute) {
    this.attribute = attribute;
  }

  @Override
  public int attribute() {
    return attribute;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
