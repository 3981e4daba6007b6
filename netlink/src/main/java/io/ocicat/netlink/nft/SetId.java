package io.ocicat.netlink.nft;

/** What names a set, map or verdict map: they share one name space within their table. */
public record SetId(TableId table, String name) {
  public SetId {
    NameRules.refuseZeros(name);
  }

  @Override
  public String toString() {
    return table + " " + name;
  }
}
