package io.ocicat.netlink.nft;

/** What happens to a packet that no rule of a base chain decides about. */
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
