package io.ocicat.netlink.link;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Topic;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Requests and queries about the forwarding databases of bridges and vxlans. */
public final class Fdb {
  private static final int GROUP_NEIGHBOUR = 3;

  /** Entries that appear, change or go. */
  public static final Topic<FdbEntry> CHANGES =
      Topic.of(Rtnl.NEWNEIGH, Rtnl.DELNEIGH, FdbEntry::read, GROUP_NEIGHBOUR)
          // Neighbours of IPv4 and IPv6 are announced by the same messages.
          .only(FdbEntry::isEntry);

  private Fdb() {}

  public static NetlinkQuery<FdbEntry> all() {
    return list(out -> FdbEntry.header(out, 0, 0, 0), () -> "list fdb entries");
  }

  /** The entries of a port, in its bridge's table and in its own. */
  public static NetlinkQuery<FdbEntry> of(int link) {
    Rtnl.positive(link);
    return list(out -> FdbEntry.header(out, link, 0, 0), () -> "list fdb entries dev " + link)
        .where(entry -> entry.link() == link);
  }

  /** The whole table of a bridge. */
  public static NetlinkQuery<FdbEntry> ofBridge(int bridge) {
    Rtnl.positive(bridge);
    return list(
            out -> FdbEntry.master(FdbEntry.header(out, 0, 0, 0), bridge),
            () -> "list fdb entries br " + bridge)
        .where(entry -> entry.master() == bridge);
  }

  /** Fails with EEXIST when there is one. */
  public static NetlinkRequest add(FdbEntry entry) {
    return put("add", NetlinkRequest.CREATE | NetlinkRequest.EXCLUSIVE, entry);
  }

  public static NetlinkRequest replace(FdbEntry entry) {
    return put("replace", NetlinkRequest.CREATE | NetlinkRequest.REPLACE, entry);
  }

  /**
   * Adds one more destination to an address of a vxlan: with the all-zero address, a host that gets
   * broadcasts.
   */
  public static NetlinkRequest append(FdbEntry entry) {
    return put("append", NetlinkRequest.CREATE | NetlinkRequest.APPEND, entry);
  }

  /** Fails with ENOENT when there is none. */
  public static NetlinkRequest delete(FdbEntry entry) {
    return NetlinkRequest.of(Rtnl.DELNEIGH, 0, entry::write, () -> "delete fdb entry " + entry);
  }

  private static NetlinkRequest put(String verb, int flags, FdbEntry entry) {
    return NetlinkRequest.of(
        Rtnl.NEWNEIGH, flags, entry::write, () -> verb + " fdb entry " + entry);
  }

  private static NetlinkQuery<FdbEntry> list(
      Consumer<MessageWriter> body, Supplier<String> operation) {
    return NetlinkQuery.all(Rtnl.GETNEIGH, body, FdbEntry::read, operation);
  }
}
