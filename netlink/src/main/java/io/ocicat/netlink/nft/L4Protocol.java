package io.ocicat.netlink.nft;

/** A layer 4 protocol, by IANA's number. */
public enum L4Protocol implements Symbol {
  ICMP(1, "icmp"),
  IPIP(4, "ipencap"),
  TCP(6, "tcp"),
  UDP(17, "udp"),
  DCCP(33, "dccp"),
  ICMPV6(58, "ipv6-icmp"),
  SCTP(132, "sctp"),
  UDPLITE(136, "udplite");

  private final int number;
  private final String word;

  L4Protocol(int number, String word) {
    this.number = number;
    this.word = word;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String word() {
    return word;
  }
}
