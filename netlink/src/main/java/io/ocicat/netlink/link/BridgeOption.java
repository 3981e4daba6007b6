package io.ocicat.netlink.link;

/** An on/off option of a bridge (linux/if_link.h, IFLA_BR_). */
public enum BridgeOption implements Toggle {
  STP(5),
  VLAN_FILTERING(7),
  MULTICAST_SNOOPING(23),
  MULTICAST_QUERIER(25);

  private final int attribute;

  BridgeOption(int attribute) {
    this.attribute = attribute;
  }

  @Override
  public int attribute() {
    return attribute;
  }

  @Override
  public boolean isWord() {
    return this == STP;
  }
}
