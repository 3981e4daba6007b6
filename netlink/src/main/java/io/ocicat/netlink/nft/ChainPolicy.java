package io.ocicat.netlink.nft;

/** What becomes of a packet no rule of a base chain decided about. */
public enum ChainPolicy implements Symbol {
  DROP(0),
  ACCEPT(1);

  private final int number;

  ChainPolicy(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
