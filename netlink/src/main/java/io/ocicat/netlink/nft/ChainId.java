package io.ocicat.netlink.nft;

/** The name of a chain, with its table. */
public record ChainId(TableId table, String name) {
  public ChainId {
    NameRules.refuseZeros(name);
  }

  @Override
  public String toString() {
    return table + " " + name;
  }
}
