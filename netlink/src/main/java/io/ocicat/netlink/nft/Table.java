package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;

/**
 * An nf_tables table, which contains chains and sets.
 *
 * @param comment empty for none; the kernel keeps the one the table was created with
 */
public record Table(TableId id, String comment) {
  static final int NAME = 1;
  static final int USERDATA = 6;

  public static Table of(TableId id) {
    return new Table(id, "");
  }

  public Table withComment(String text) {
    return new Table(id, text);
  }

  static Table read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    return new Table(
        new TableId(Nft.family(message), Nft.name(attributes, NAME)),
        UserData.readText(attributes, USERDATA, UserData.COMMENT));
  }

  @Override
  public String toString() {
    return id + NameRules.commentText(comment);
  }
}
