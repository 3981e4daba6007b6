package io.ocicat.netlink.nft;

/** The connection tracking state of a packet; each is a bit. */
public enum CtState implements Symbol {
  INVALID(1),
  ESTABLISHED(2),
  RELATED(4),
  NEW(8),
  UNTRACKED(0x40);

  private final int number;

  CtState(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
