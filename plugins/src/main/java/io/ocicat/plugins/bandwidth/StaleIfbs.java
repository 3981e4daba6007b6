package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.NetworkName;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.AttachmentOwner;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Garbage-collects the ifbs of attachments that are gone. Those with our alias name their owner.
 * Go's do not, and their names cannot be reversed: such an ifb is removed only if it has no valid
 * attachment's name and nothing redirects to it, which makes it useless to any network. That is
 * also true for a moment while Go's ADD runs; hence we check twice.
 */
final class StaleIfbs {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  private StaleIfbs() {}

  static void collect(NetlinkSocket net, NetworkName network, Set<Attachment> valid) {
    List<Ifb> used =
        valid.stream().flatMap(a -> AttachmentOwner.of(network, a).stream()).map(Ifb::new).toList();
    Set<String> aliases = used.stream().map(Ifb::alias).collect(Collectors.toSet());
    Set<String> names =
        used.stream().flatMap(ifb -> ifb.names().stream()).collect(Collectors.toSet());

    String ours = Ifb.aliasPrefix(network);
    List<Link> stale =
        find(net, link -> link.alias().startsWith(ours) && !aliases.contains(link.alias()));
    if (!stale.isEmpty()) {
      removeFilters(net, indexes(stale));
      delete(net, stale);
    }

    Predicate<Link> nameless = link -> !Ifb.isOwned(link) && !names.contains(link.name());
    List<Link> suspects = unused(net, nameless);
    if (!suspects.isEmpty()) {
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      Set<Integer> before = indexes(suspects);
      delete(net, unused(net, nameless.and(link -> before.contains(link.index()))));
    }
  }

  private static List<Link> find(NetlinkSocket net, Predicate<Link> wanted) {
    return net.list(Links.ofKind("ifb")).stream()
        .filter(link -> link.name().startsWith(Ifb.NAME_PREFIX))
        .filter(wanted)
        .toList();
  }

  /** A veth that has outlived its attachment must not keep sending into a missing device. */
  private static void removeFilters(NetlinkSocket net, Set<Integer> ifbs) {
    for (int link : IfbRedirect.linksWithHook(net)) {
      ConcurrentRemoval.perform(net, IfbRedirect.remove(net, link, ifbs));
    }
  }

  private static List<Link> unused(NetlinkSocket net, Predicate<Link> wanted) {
    List<Link> found = find(net, wanted);
    if (found.isEmpty()) {
      return found;
    }
    Set<Integer> targets = IfbRedirect.targets(net);
    return found.stream().filter(link -> !targets.contains(link.index())).toList();
  }

  private static void delete(NetlinkSocket net, List<Link> links) {
    ConcurrentRemoval.perform(net, links.stream().map(link -> Links.delete(link.index())).toList());
  }

  private static Set<Integer> indexes(List<Link> links) {
    return links.stream().map(Link::index).collect(Collectors.toSet());
  }
}
