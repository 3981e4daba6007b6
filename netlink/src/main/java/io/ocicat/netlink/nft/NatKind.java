package io.ocicat.netlink.nft;

/** Whether the source or the destination of a connection is translated. */
public enum NatKind implements Symbol {
  SNAT(0),
  DNAT(1);

  private final int number;

  NatKind(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
