package io.ocicat.netlink.nft;

/** How address translation picks a port or address; each is a bit. */
public enum NatFlag implements Symbol {
  RANDOM(4),
  PERSISTENT(8),
  FULLY_RANDOM(16);

  private final int number;

  NatFlag(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
