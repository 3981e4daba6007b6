package io.ocicat.netlink.nft;

/** An option for how address translation selects a port or address; each is a bit. */
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
