package io.ocicat.netlink.nft;

/** A status flag of a tracked connection; each is a bit. */
public enum CtStatus implements Symbol {
  EXPECTED(1),
  SEEN_REPLY(2),
  ASSURED(4),
  CONFIRMED(8),
  SNAT(0x10),
  DNAT(0x20),
  DYING(0x200);

  private final int number;

  CtStatus(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
