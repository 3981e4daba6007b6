package io.ocicat.netlink.tc;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/**
 * Makes, finds and removes queueing disciplines. Each has a place on its link, {@link Handle#ROOT},
 * {@link Handle#INGRESS} or a class, and a handle of its own, the major number of which its classes
 * carry.
 */
public final class Qdiscs {
  private Qdiscs() {}

  /** Fails with EEXIST when there is one in that place that somebody made. */
  public static NetlinkRequest add(
      int link, Handle parent, Handle handle, QdiscOptions discipline) {
    return create("add", NetlinkRequest.EXCLUSIVE, link, parent, handle, discipline);
  }

  /**
   * Makes it, or changes the one that has this handle and kind, or puts it in the place of another.
   */
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

  /** Removes what hangs in that place, with its classes and filters. */
  public static NetlinkRequest delete(int link, Handle parent) {
    return NetlinkRequest.of(
        Tc.RTM_DELQDISC,
        0,
        out -> Tc.header(out, link, Handle.NONE, parent),
        () -> "delete qdisc dev %d parent %s".formatted(link, parent));
  }

  /** Removes what hangs in that place only if it is the one with that handle. */
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
   * Those of one link. The kernel can only list all links' and the rest is left out here: where the
   * place is known, {@link #at} is much cheaper on a node with many links.
   */
  public static NetlinkQuery<Qdisc> of(int link) {
    return all().where(qdisc -> qdisc.link() == link);
  }

  /** The one in that place. */
  public static NetlinkQuery<Qdisc> at(int link, Handle parent) {
    return NetlinkQuery.one(
        Tc.RTM_GETQDISC,
        out -> Tc.header(out, link, Handle.NONE, parent),
        Qdisc::read,
        () -> "get qdisc dev %d parent %s".formatted(link, parent));
  }
}
