package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An nf_tables table, which contains chains and sets.
 *
 * @param comment empty for none; the kernel keeps the one the table was created with
 */
public record Table(TableId id, String comment, Set<TableFlag> flags) {
  static final int NAME = 1;
  static final int FLAGS = 2;
  static final int USERDATA = 6;

  public Table {
    flags = Set.copyOf(flags);
  }

  public Table(TableId id, String comment) {
    this(id, comment, Set.of());
  }

  public static Table of(TableId id) {
    return new Table(id, "");
  }

  public Table withComment(String text) {
    return new Table(id, text, flags);
  }

  public Table withFlags(TableFlag... wanted) {
    return new Table(id, comment, Set.of(wanted));
  }

  static Table read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    return new Table(
        new TableId(Nft.family(message), Nft.name(attributes, NAME)),
        UserData.readText(attributes, USERDATA, UserData.COMMENT),
        flags(attributes.be32(FLAGS, 0)));
  }

  private static Set<TableFlag> flags(int bits) {
    return Arrays.stream(TableFlag.values())
        .filter(flag -> (bits & flag.number()) != 0)
        .collect(Collectors.toSet());
  }

  @Override
  public String toString() {
    return id + NameRules.commentText(comment);
  }
}
