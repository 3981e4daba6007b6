package io.ocicat.netlink.nft;

/** The two directions of a connection. */
public enum Direction implements Symbol {
  ORIGINAL(0),
  REPLY(1);

  private final int number;

  Direction(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
