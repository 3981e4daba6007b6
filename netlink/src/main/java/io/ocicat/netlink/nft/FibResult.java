package io.ocicat.netlink.nft;

/** The kind of result of a fib lookup in the routing tables. */
public enum FibResult implements Symbol {
  OIF(1),
  OIFNAME(2),
  TYPE(3);

  private final int number;

  FibResult(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
