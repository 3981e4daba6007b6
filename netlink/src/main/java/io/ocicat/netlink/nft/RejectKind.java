package io.ocicat.netlink.nft;

/** How a packet is refused. */
public enum RejectKind implements Symbol {
  ICMP(0),
  TCP_RESET(1),
  /** ICMP or ICMPv6, whichever the packet calls for. */
  ICMPX(2);

  private final int number;

  RejectKind(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
