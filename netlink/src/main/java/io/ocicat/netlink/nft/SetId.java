package io.ocicat.netlink.nft;

/** The name of a set, map or verdict map, with its table: they share one name space. */
public record SetId(TableId table, String name) {
  public SetId {
    NameRules.refuseZeros(name);
  }

  @Override
  public String toString() {
    return table + " " + name;
  }
}
