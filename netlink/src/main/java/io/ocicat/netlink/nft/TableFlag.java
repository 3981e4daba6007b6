package io.ocicat.netlink.nft;

/** A property of a table; each is a bit. */
public enum TableFlag implements Symbol {
  /** Its chains see no packets. */
  DORMANT(0x1),
  /**
   * Belongs to the socket that created it: nobody else can change it, {@code nft flush ruleset}
   * passes over it, and without {@link #PERSIST} it goes with the socket (Linux 5.12).
   */
  OWNER(0x2),
  /**
   * Stays when the socket that owns it is closed. Until a socket adds the table again with the same
   * flags and so owns it, anybody can change it (Linux 6.9).
   */
  PERSIST(0x4);

  private final int number;

  TableFlag(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
