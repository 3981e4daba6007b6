package io.ocicat.netlink.nft;

/** The family and name of a table, which prefix the names of everything in it. */
public record TableId(TableFamily family, String name) {
  public TableId {
    NameRules.refuseZeros(name);
  }

  public ChainId chain(String chain) {
    return new ChainId(this, chain);
  }

  public SetId set(String set) {
    return new SetId(this, set);
  }

  @Override
  public String toString() {
    return family + " " + name;
  }
}
