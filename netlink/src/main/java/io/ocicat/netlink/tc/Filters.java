package io.ocicat.netlink.tc;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkQuery;
import io.ocicat.netlink.NetlinkRequest;

/** Requests and queries about filters. */
public final class Filters {
  private Filters() {}

  /**
   * Adds a filter after those at its position. Fails with EEXIST when it has a handle that is taken
   * (with ENOSPC when a u32 filter left the table to the kernel).
   */
  public static NetlinkRequest add(FilterPosition place, Classifier classifier) {
    return create("add", NetlinkRequest.EXCLUSIVE, place, classifier);
  }

  /** Adds it, or replaces the one with its handle. */
  public static NetlinkRequest replace(FilterPosition place, Classifier classifier) {
    return create("replace", NetlinkRequest.REPLACE, place, classifier);
  }

  private static NetlinkRequest create(
      String verb, int flag, FilterPosition place, Classifier classifier) {
    return NetlinkRequest.of(
        Tc.RTM_NEWTFILTER,
        NetlinkRequest.CREATE | flag,
        out -> {
          Tc.header(out, place.link(), handle(classifier), place.parent(), place.info());
          out.text(Tc.TCA_KIND, classifier.kind());
          out.nest(Tc.TCA_OPTIONS, () -> write(out, classifier));
        },
        () -> "%s filter %s %s".formatted(verb, place, classifier.kind()));
  }

  /** The handle to request; 0 leaves the choice to the kernel. */
  private static int handle(Classifier classifier) {
    return switch (classifier) {
      // A handle without a node number would mean the table, which already exists.
      case U32 filter -> filter.at().node() == 0 ? 0 : filter.at().value();
      case U32Table table -> table.at().value();
      case MatchAll _, Classifier.Other _ -> 0;
    };
  }

  private static void write(MessageWriter out, Classifier classifier) {
    switch (classifier) {
      case U32 filter -> filter.write(out);
      case U32Table table -> table.write(out);
      case MatchAll filter -> filter.write(out);
      case Classifier.Other other ->
          throw new IllegalArgumentException(
              "a filter of kind \"" + other.kind() + "\" can be read but not written");
    }
  }

  /** Removes one filter. */
  public static NetlinkRequest delete(Filter filter) {
    FilterPosition place = filter.place();
    return NetlinkRequest.of(
        Tc.RTM_DELTFILTER,
        0,
        out -> {
          Tc.header(out, place.link(), filter.handle(), place.parent(), place.info());
          out.text(Tc.TCA_KIND, filter.classifier().kind());
        },
        () ->
            "delete filter %s handle 0x%x %s"
                .formatted(place, filter.handle(), filter.classifier().kind()));
  }

  /** Removes all filters of one priority and protocol. */
  public static NetlinkRequest delete(FilterPosition place) {
    return NetlinkRequest.of(
        Tc.RTM_DELTFILTER,
        0,
        out -> Tc.header(out, place.link(), 0, place.parent(), place.info()),
        () -> "delete filters " + place);
  }

  /** Removes all filters below a qdisc or class. */
  public static NetlinkRequest deleteAll(int link, Handle parent) {
    return NetlinkRequest.of(
        Tc.RTM_DELTFILTER,
        0,
        out -> Tc.header(out, link, Handle.NONE, parent),
        () -> "delete all filters dev %d parent %s".formatted(link, parent));
  }

  /** All filters below a qdisc or class, in the order they are tried. */
  public static NetlinkQuery<Filter> of(int link, Handle parent) {
    return NetlinkQuery.all(
            Tc.RTM_GETTFILTER,
            out -> Tc.header(out, link, Handle.NONE, parent),
            Filter::read,
            () -> "list filters dev %d parent %s".formatted(link, parent))
        .where(filter -> filter.handle() != 0);
  }
}
