package io.ocicat.netlink.nft;

/** The packet header from which an offset counts. */
public enum PayloadHeader implements Symbol {
  LINK(0),
  NETWORK(1),
  TRANSPORT(2);

  private final int number;

  PayloadHeader(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
