package io.ocicat.netlink.nft;

/** Which header of a packet an offset counts from. */
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
