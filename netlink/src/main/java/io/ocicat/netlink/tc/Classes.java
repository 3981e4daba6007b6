package io.ocicat.netlink.tc;

import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/** Requests and queries about the classes of classful qdiscs. */
public final class Classes {
  private Classes() {}

  /**
   * Creates a class below a qdisc or below another class. Fails with EEXIST when the id is taken.
   *
   * @param parent the qdisc, such as {@code 1:}, or a class of it
   * @param id such as {@code 1:30}
   */
  public static NetlinkRequest add(int link, Handle parent, Handle id, HtbClass options) {
    return create("add", NetlinkRequest.EXCLUSIVE, link, parent, id, options);
  }

  /** Creates it, or changes the settings of the one with that id. */
  public static NetlinkRequest replace(int link, Handle parent, Handle id, HtbClass options) {
    return create("replace", NetlinkRequest.REPLACE, link, parent, id, options);
  }

  private static NetlinkRequest create(
      String verb, int flag, int link, Handle parent, Handle id, HtbClass options) {
    return NetlinkRequest.of(
        Tc.RTM_NEWTCLASS,
        NetlinkRequest.CREATE | flag,
        out ->
            Tc.header(out, link, id, parent)
                .text(Tc.TCA_KIND, HtbClass.KIND)
                .nest(Tc.TCA_OPTIONS, () -> options.write(out)),
        () -> "%s class %s dev %d parent %s %s".formatted(verb, id, link, parent, options));
  }

  /** Fails with EBUSY while the class has child classes or filters that refer to it. */
  public static NetlinkRequest delete(int link, Handle id) {
    return NetlinkRequest.of(
        Tc.RTM_DELTCLASS,
        0,
        out -> Tc.header(out, link, id, Handle.NONE),
        () -> "delete class %s dev %d".formatted(id, link));
  }

  /** All classes of a link. */
  public static NetlinkQuery<TrafficClass> of(int link) {
    return NetlinkQuery.all(
        Tc.RTM_GETTCLASS,
        out -> Tc.header(out, link, Handle.NONE, Handle.NONE),
        TrafficClass::read,
        () -> "list classes dev " + link);
  }

  public static NetlinkQuery<TrafficClass> at(int link, Handle id) {
    return NetlinkQuery.one(
        Tc.RTM_GETTCLASS,
        out -> Tc.header(out, link, id, Handle.NONE),
        TrafficClass::read,
        () -> "get class %s dev %d".formatted(id, link));
  }
}
