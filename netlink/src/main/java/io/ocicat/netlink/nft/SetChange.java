package io.ocicat.netlink.nft;

/** How a rule changes a dynamic set. */
public enum SetChange implements Symbol {
  ADD(0),
  UPDATE(1),
  DELETE(2);

  private final int number;

  SetChange(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
