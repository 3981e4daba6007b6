package io.ocicat.netlink.nft;

import io.ocicat.netlink.Query;
import io.ocicat.netlink.Request;

/**
 * Requests and questions about tables.
 *
 * <p>Here as for chains, sets and elements: {@code add} is content when the object is there
 * already, {@code create} fails with EEXIST; {@code delete} fails with ENOENT when it is not there,
 * {@code destroy} is content.
 *
 * <p>The kernel knows {@code destroy} since Linux 6.3, earlier ones answer EINVAL. The way that
 * works with all of them is {@code add} and then {@code delete} of the same object in one
 * transaction.
 */
public final class Tables {
  private Tables() {}

  public static Request add(Table table) {
    return add(table, Request.CREATE, "add");
  }

  public static Request create(Table table) {
    return add(table, Request.CREATE | Request.EXCLUSIVE, "create");
  }

  /** Removes the table and everything in it. */
  public static Request delete(TableId id) {
    return named(Nft.DELETE_TABLE, id, "delete");
  }

  /** Removes the table and everything in it, if there is one. */
  public static Request destroy(TableId id) {
    return named(Nft.DESTROY_TABLE, id, "destroy");
  }

  public static Query<Table> all() {
    return Query.all(
        Nft.GET_TABLE, Nft.body(Nft.ANY_FAMILY, _ -> {}), Table::read, () -> "list tables");
  }

  public static Query<Table> all(Family family) {
    return Query.all(
        Nft.GET_TABLE,
        Nft.body(family.number(), _ -> {}),
        Table::read,
        () -> "list " + family + " tables");
  }

  public static Query<Table> get(TableId id) {
    return Query.one(
        Nft.GET_TABLE,
        Nft.body(id.family().number(), out -> out.text(Table.NAME, id.name())),
        Table::read,
        () -> "get table " + id);
  }

  private static Request add(Table table, int flags, String verb) {
    TableId id = table.id();
    Names.check("table", id.name());
    UserData notes = new UserData().text(UserData.COMMENT, Names.comment(table.comment()));
    return Nft.request(
        Nft.NEW_TABLE,
        flags,
        id.family(),
        out -> notes.write(out.text(Table.NAME, id.name()), Table.USERDATA),
        () -> verb + " table " + id);
  }

  private static Request named(int type, TableId id, String verb) {
    return Nft.request(
        type, 0, id.family(), out -> out.text(Table.NAME, id.name()), () -> verb + " table " + id);
  }
}
