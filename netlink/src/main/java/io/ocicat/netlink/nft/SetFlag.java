package io.ocicat.netlink.nft;

/** A property of a set; each is a bit. */
public enum SetFlag implements Symbol {
  /** Belongs to the one rule that uses it, and has no name of its own. */
  ANONYMOUS(0x1),
  /** Its elements never change once a rule uses it. */
  CONSTANT(0x2),
  /** Its elements may be ranges. */
  INTERVAL(0x4),
  /** Its elements may expire. */
  TIMEOUT(0x10),
  /** Rules add elements to it. */
  DYNAMIC(0x20);

  private final int number;

  SetFlag(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
