package io.ocicat.netlink.nft;

import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/**
 * Requests and queries about tables.
 *
 * <p>As for chains, sets and elements: if the object exists, {@code add} succeeds and {@code
 * create} fails with EEXIST; if it does not, {@code delete} fails with ENOENT and {@code destroy}
 * succeeds.
 *
 * <p>{@code destroy} exists since Linux 6.3; earlier kernels return EINVAL. What works with all of
 * them is {@code add} and then {@code delete} of the same object in one transaction.
 */
public final class Tables {
  private Tables() {}

  public static NetlinkRequest add(Table table) {
    return add(table, NetlinkRequest.CREATE, "add");
  }

  public static NetlinkRequest create(Table table) {
    return add(table, NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, "create");
  }

  /** Removes the table and everything in it. */
  public static NetlinkRequest delete(TableId id) {
    return named(Nft.DELETE_TABLE, id, "delete");
  }

  /** Removes the table and everything in it, if it exists. */
  public static NetlinkRequest destroy(TableId id) {
    return named(Nft.DESTROY_TABLE, id, "destroy");
  }

  public static NetlinkQuery<Table> all() {
    return NetlinkQuery.all(
        Nft.GET_TABLE, Nft.body(Nft.ANY_FAMILY, _ -> {}), Table::read, () -> "list tables");
  }

  public static NetlinkQuery<Table> all(TableFamily family) {
    return NetlinkQuery.all(
        Nft.GET_TABLE,
        Nft.body(family.number(), _ -> {}),
        Table::read,
        () -> "list " + family + " tables");
  }

  public static NetlinkQuery<Table> get(TableId id) {
    return NetlinkQuery.one(
        Nft.GET_TABLE,
        Nft.body(id.family().number(), out -> out.text(Table.NAME, id.name())),
        Table::read,
        () -> "get table " + id);
  }

  private static NetlinkRequest add(Table table, int flags, String verb) {
    TableId id = table.id();
    NameRules.check("table", id.name());
    UserData notes = new UserData().text(UserData.COMMENT, NameRules.comment(table.comment()));
    return Nft.request(
        Nft.NEW_TABLE,
        flags,
        id.family(),
        out -> {
          out.text(Table.NAME, id.name());
          if (!table.flags().isEmpty()) {
            out.be32(Table.FLAGS, Symbol.sum(table.flags()));
          }
          notes.write(out, Table.USERDATA);
        },
        () -> verb + " table " + id);
  }

  private static NetlinkRequest named(int type, TableId id, String verb) {
    return Nft.request(
        type, 0, id.family(), out -> out.text(Table.NAME, id.name()), () -> verb + " table " + id);
  }
}
