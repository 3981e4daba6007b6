package io.ocicat.plugins.net;

import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableId;

/** How the nf_tables tables of our plugins are told from those of others on a host. */
public final class PluginTables {
  /** All of them are called so. */
  private static final String NAME = "ocicat_";

  /** What all of them say of themselves. */
  private static final String COMMENT = "ocicat: ";

  private PluginTables() {}

  /** Whether it has a name as ours have; another's would only be there on purpose. */
  public static boolean isNamedAsOurs(TableId table) {
    return table.name().startsWith(NAME);
  }

  /** Whether one of our plugins has made it. */
  public static boolean isOurs(Table table) {
    return isNamedAsOurs(table.id()) && table.comment().startsWith(COMMENT);
  }
}
