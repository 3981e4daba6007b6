package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.tc.Action;
import io.ocicat.netlink.tc.Classifier;
import io.ocicat.netlink.tc.EtherType;
import io.ocicat.netlink.tc.Filter;
import io.ocicat.netlink.tc.FilterPosition;
import io.ocicat.netlink.tc.Filters;
import io.ocicat.netlink.tc.Handle;
import io.ocicat.netlink.tc.MatchAll;
import io.ocicat.netlink.tc.Mirred;
import io.ocicat.netlink.tc.Qdisc;
import io.ocicat.netlink.tc.QdiscOptions;
import io.ocicat.netlink.tc.Qdiscs;
import io.ocicat.netlink.tc.U32;
import io.ocicat.netlink.tc.U32Table;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Redirects everything that arrives at a link to an ifb, with a filter on the link's ingress hook.
 *
 * <p>The hook may already be in use by somebody else's ingress or clsact qdisc. Then the filter
 * goes after all of theirs: redirected packets do not return to them, and one of them may enforce a
 * policy. Its priority later shows whose qdisc it is: 1 where we created it, as Go does, more where
 * we found it.
 */
final class IfbRedirect {
  /** The index that a filter redirects to when its ifb is gone: it drops all packets. */
  static final int NOWHERE = 0;

  private static final Handle INGRESS = Handle.ofQdisc(0xffff);
  private static final int OWN_HOOK = 1;
  private static final int LAST = 0xffff;

  private IfbRedirect() {}

  /** Adds the filter, and the hook if there is none. */
  static List<NetlinkRequest> to(NetlinkSocket net, Link link, int ifb) {
    Optional<Qdisc> hook = hook(net, link.index());
    if (hook.isEmpty()) {
      return List.of(
          Qdiscs.add(link.index(), Handle.INGRESS, INGRESS, QdiscOptions.INGRESS),
          filter(link.index(), INGRESS, OWN_HOOK, ifb));
    }
    int last =
        filters(net, link.index(), hook.get()).stream()
            .mapToInt(filter -> filter.place().priority())
            .max()
            .orElse(OWN_HOOK);
    if (last == LAST) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "no room for a filter on the %s qdisc of \"%s\""
              .formatted(hook.get().discipline().kind(), link.name()),
          "somebody's filter has the last priority, %d: give it a lower number".formatted(LAST));
    }
    return List.of(filter(link.index(), parent(hook.get()), last + 1, ifb));
  }

  private static NetlinkRequest filter(int link, Handle parent, int priority, int ifb) {
    // The class has no effect here; Go's filter has it, so it shows which filters are ours.
    return Filters.add(
        new FilterPosition(link, parent, priority, EtherType.ALL),
        U32.everything().flow(Handle.of(1, 1)).action(Mirred.redirectTo(ifb)));
  }

  /** The requests that remove the filters to these ifbs, and the hook if it was only for them. */
  static List<NetlinkRequest> remove(NetlinkSocket net, int link, Set<Integer> ifbs) {
    Optional<Qdisc> hook = hook(net, link);
    if (hook.isEmpty()) {
      return List.of();
    }
    List<Filter> filters = filters(net, link, hook.get());
    List<Filter> ours =
        filters.stream().filter(f -> ifbs.stream().anyMatch(to -> redirects(f, to))).toList();
    List<Filter> others =
        filters.stream().filter(f -> !ours.contains(f) && !isTableOf(ours, f)).toList();
    boolean ownHook =
        hook.get().discipline().equals(QdiscOptions.INGRESS)
            && ours.stream().anyMatch(f -> f.place().priority() == OWN_HOOK);
    return ownHook && others.isEmpty()
        ? List.of(Qdiscs.delete(link, Handle.INGRESS, hook.get().handle()))
        : ours.stream().map(filter -> remove(filter, others)).toList();
  }

  /** Together with its priority, which would otherwise remain as an empty table. */
  private static NetlinkRequest remove(Filter filter, List<Filter> others) {
    boolean shared = others.stream().anyMatch(other -> other.place().equals(filter.place()));
    return shared ? Filters.delete(filter) : Filters.delete(filter.place());
  }

  /** Whether what arrives at the link goes to the ifb. */
  static boolean exists(NetlinkSocket net, int link, int ifb) {
    return filters(net, link).stream().anyMatch(filter -> redirects(filter, ifb));
  }

  /** The indexes that any filter of any link redirects to. */
  static Set<Integer> targets(NetlinkSocket net) {
    Set<Integer> targets = new HashSet<>();
    for (int link : linksWithHook(net)) {
      filters(net, link).forEach(filter -> targets.addAll(targets(filter)));
    }
    return targets;
  }

  private static List<Integer> targets(Filter filter) {
    List<Action> actions =
        switch (filter.classifier()) {
          case U32 u32 -> u32.actions();
          case MatchAll matchAll -> matchAll.actions();
          case U32Table _, Classifier.Other _ -> List.of();
        };
    return actions.stream()
        .filter(Mirred.class::isInstance)
        .map(action -> ((Mirred) action).link())
        .toList();
  }

  /** The links, of all that exist, that have an ingress hook. */
  static Set<Integer> linksWithHook(NetlinkSocket net) {
    return Set.copyOf(
        net.list(Qdiscs.all()).stream()
            .filter(qdisc -> qdisc.parent().equals(Handle.INGRESS))
            .map(Qdisc::link)
            .distinct()
            .toList());
  }

  private static Optional<Qdisc> hook(NetlinkSocket net, int link) {
    return net.find(Qdiscs.at(link, Handle.INGRESS));
  }

  private static List<Filter> filters(NetlinkSocket net, int link) {
    return hook(net, link).map(hook -> filters(net, link, hook)).orElse(List.of());
  }

  private static List<Filter> filters(NetlinkSocket net, int link, Qdisc hook) {
    return net.list(Filters.of(link, parent(hook)));
  }

  private static Handle parent(Qdisc hook) {
    return hook.discipline().equals(QdiscOptions.CLSACT) ? Handle.CLSACT_INGRESS : hook.handle();
  }

  /** The kernel creates a table for the filters of each priority. */
  private static boolean isTableOf(List<Filter> filters, Filter table) {
    return table.classifier() instanceof U32Table
        && filters.stream().anyMatch(filter -> filter.place().equals(table.place()));
  }

  private static boolean redirects(Filter filter, int ifb) {
    return filter.classifier() instanceof U32 u32
        && u32.flow().equals(Handle.of(1, 1))
        && u32.actions().contains(Mirred.redirectTo(ifb));
  }
}
