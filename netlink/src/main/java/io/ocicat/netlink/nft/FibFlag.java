package io.ocicat.netlink.nft;

/** A flag of a fib lookup in the routing tables; each is a bit. */
public enum FibFlag implements Symbol {
  SADDR(1),
  DADDR(2),
  MARK(4),
  IIF(8),
  OIF(16),
  /** Only whether there is a route. */
  PRESENT(32);

  private final int number;

  FibFlag(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
