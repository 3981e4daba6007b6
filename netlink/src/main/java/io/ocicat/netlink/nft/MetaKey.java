package io.ocicat.netlink.nft;

/** A property of a packet that is not part of its content (enum nft_meta_keys). */
public enum MetaKey implements Symbol {
  LENGTH(0),
  PROTOCOL(1),
  PRIORITY(2),
  MARK(3),
  IIF(4),
  OIF(5),
  IIFNAME(6),
  OIFNAME(7),
  IIFTYPE(8),
  OIFTYPE(9),
  SKUID(10),
  SKGID(11),
  NFTRACE(12),
  NFPROTO(15),
  L4PROTO(16),
  IBRNAME(17),
  OBRNAME(18),
  PKTTYPE(19),
  CPU(20),
  IIFGROUP(21),
  OIFGROUP(22),
  CGROUP(23);

  private final int number;

  MetaKey(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
