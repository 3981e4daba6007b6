package io.ocicat.netlink.tc;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/**
 * Requests and queries about queueing disciplines. Each has a position on its link, {@link
 * Handle#ROOT}, {@link Handle#INGRESS} or a class, and a handle, whose major number its classes
 * share.
 */
public final class Qdiscs {
  private Qdiscs() {}

  /** Fails with EEXIST when somebody created one at that position. */
  public static NetlinkRequest add(
      int link, Handle parent, Handle handle, QdiscOptions discipline) {
    return create("add", NetlinkRequest.EXCLUSIVE, link, parent, handle, discipline);
  }

  /** Creates it, or changes the one that has this handle and kind, or replaces another. */
  public static NetlinkRequest replace(
      int link, Handle parent, Handle handle, QdiscOptions discipline) {
    return create("replace", NetlinkRequest.REPLACE, link, parent, handle, discipline);
  }

  private static NetlinkRequest create(
      String verb, int flag, int link, Handle parent, Handle handle, QdiscOptions discipline) {
    return NetlinkRequest.of(
        Tc.RTM_NEWQDISC,
        NetlinkRequest.CREATE | flag,
        out -> write(Tc.header(out, link, handle, parent), discipline),
        () -> "%s qdisc %s dev %d parent %s %s".formatted(verb, handle, link, parent, discipline));
  }

  private static void write(MessageWriter out, QdiscOptions discipline) {
    out.text(Tc.TCA_KIND, discipline.kind());
    switch (discipline) {
      case Tbf tbf -> out.nest(Tc.TCA_OPTIONS, () -> tbf.write(out));
      case Htb htb -> out.nest(Tc.TCA_OPTIONS, () -> htb.write(out));
      case QdiscOptions.Plain _ -> {}
    }
  }

  /** Removes the one at that position, with its classes and filters. */
  public static NetlinkRequest delete(int link, Handle parent) {
    return NetlinkRequest.of(
        Tc.RTM_DELQDISC,
        0,
        out -> Tc.header(out, link, Handle.NONE, parent),
        () -> "delete qdisc dev %d parent %s".formatted(link, parent));
  }

  /** Removes the one at that position only if it has that handle. */
  public static NetlinkRequest delete(int link, Handle parent, Handle handle) {
    return NetlinkRequest.of(
        Tc.RTM_DELQDISC,
        0,
        out -> Tc.header(out, link, handle, parent),
        () -> "delete qdisc %s dev %d parent %s".formatted(handle, link, parent));
  }

  /** All of the namespace. */
  public static NetlinkQuery<Qdisc> all() {
    return NetlinkQuery.all(
        Tc.RTM_GETQDISC,
        out -> Tc.header(out, 0, Handle.NONE, Handle.NONE),
        Qdisc::read,
        () -> "list qdiscs");
  }

  /**
   * The qdiscs of one link. The kernel can only list those of all links, which are filtered here:
   * where the position is known, {@link #at} is much cheaper on a node with many links.
   */
  public static NetlinkQuery<Qdisc> of(int link) {
    return all().where(qdisc -> qdisc.link() == link);
  }

  /** The qdisc at that position. */
  public static NetlinkQuery<Qdisc> at(int link, Handle parent) {
    return NetlinkQuery.one(
        Tc.RTM_GETQDISC,
        out -> Tc.header(out, link, Handle.NONE, parent),
        Qdisc::read,
        () -> "get qdisc dev %d parent %s".formatted(link, parent));
  }
}
