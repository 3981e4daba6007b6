package io.ocicat.netlink.nft;

/** The kind of error with which a packet is rejected. */
public enum RejectKind implements Symbol {
  ICMP(0),
  TCP_RESET(1),
  /** ICMP or ICMPv6, depending on the packet. */
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
