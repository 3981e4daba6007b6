package io.ocicat.netlink.nft;

/** What names a chain. */
public record ChainId(TableId table, String name) {
  public ChainId {
    NameRules.refuseZeros(name);
  }

  @Override
  public String toString() {
    return table + " " + name;
  }
}
