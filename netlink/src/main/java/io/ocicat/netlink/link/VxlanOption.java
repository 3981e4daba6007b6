package io.ocicat.netlink.link;

/** An on/off option of a vxlan (linux/if_link.h, IFLA_VXLAN_). */
public enum VxlanOption implements Toggle {
  /** The host of an address is learnt from what it sends. */
  LEARNING(7),
  /** ARP is answered from the neighbour table. */
  PROXY(11),
  /** Unknown addresses are announced to listeners. */
  L2_MISS(13),
  L3_MISS(14),
  UDP_CHECKSUM(18),
  UDP6_ZERO_CHECKSUM_TX(19),
  UDP6_ZERO_CHECKSUM_RX(20);

  private final int attribute;

  VxlanOption(int attribute) {
    this.attribute = attribute;
  }

  @Override
  public int attribute() {
    return attribute;
  }
}
