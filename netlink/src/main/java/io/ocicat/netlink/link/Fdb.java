package io.ocicat.netlink.link;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.Query;
import io.ocicat.netlink.Request;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The forwarding tables of bridges and vxlans. */
public final class Fdb {
  private Fdb() {}

  public static Query<FdbEntry> all() {
    return list(out -> FdbEntry.header(out, 0, 0, 0), () -> "list fdb entries");
  }

  /** What a port leads to, in its bridge's table and in its own. */
  public static Query<FdbEntry> of(int link) {
    Rtnl.positive(link);
    return list(out -> FdbEntry.header(out, link, 0, 0), () -> "list fdb entries dev " + link)
        .where(entry -> entry.link() == link);
  }

  /** The whole table of a bridge. */
  public static Query<FdbEntry> ofBridge(int bridge) {
    Rtnl.positive(bridge);
    return list(
            out -> FdbEntry.master(FdbEntry.header(out, 0, 0, 0), bridge),
            () -> "list fdb entries br " + bridge)
        .where(entry -> entry.master() == bridge);
  }

  /** Fails with EEXIST when there is one. */
  public static Request add(FdbEntry entry) {
    return put("add", Request.CREATE | Request.EXCLUSIVE, entry);
  }

  public static Request replace(FdbEntry entry) {
    return put("replace", Request.CREATE | Request.REPLACE, entry);
  }

  /**
   * Gives an address of a vxlan one more destination: with the address of zeros, the hosts that get
   * broadcasts.
   */
  public static Request append(FdbEntry entry) {
    return put("append", Request.CREATE | Request.APPEND, entry);
  }

  /** Fails with ENOENT when there is none. */
  public static Request delete(FdbEntry entry) {
    return Request.of(Rtnl.DELNEIGH, 0, entry::write, () -> "delete fdb entry " + entry);
  }

  private static Request put(String verb, int flags, FdbEntry entry) {
    return Request.of(Rtnl.NEWNEIGH, flags, entry::write, () -> verb + " fdb entry " + entry);
  }

  private static Query<FdbEntry> list(Consumer<MessageWriter> body, Supplier<String> operation) {
    return Query.all(Rtnl.GETNEIGH, body, FdbEntry::read, operation);
  }
}
