package io.ocicat.netlink.nft;

/** A property of a packet's connection that connection tracking provides (enum nft_ct_keys). */
public enum CtKey implements Symbol {
  STATE(0, "state"),
  DIRECTION(1, "direction"),
  STATUS(2, "status"),
  MARK(3, "mark"),
  L3PROTOCOL(7, "l3proto"),
  PROTOCOL(10, "protocol"),
  PROTO_SRC(11, "proto-src"),
  PROTO_DST(12, "proto-dst"),
  ZONE(17, "zone"),
  SRC_IP(19, "ip saddr"),
  DST_IP(20, "ip daddr"),
  SRC_IP6(21, "ip6 saddr"),
  DST_IP6(22, "ip6 daddr");

  private final int number;
  private final String word;

  CtKey(int number, String word) {
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
