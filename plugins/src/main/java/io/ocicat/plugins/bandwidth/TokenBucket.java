package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.tc.Handle;
import io.ocicat.netlink.tc.Qdisc;
import io.ocicat.netlink.tc.Qdiscs;
import io.ocicat.netlink.tc.Tbf;
import java.util.List;
import java.util.Optional;

/** The token bucket at the root of a link, which limits what leaves through the link. */
final class TokenBucket {
  private static final Handle HANDLE = Handle.ofQdisc(1);

  private TokenBucket() {}

  static NetlinkRequest on(Link link, DirectionLimit limit) {
    return Qdiscs.add(link.index(), Handle.ROOT, HANDLE, limit.bucket(link.mtu()));
  }

  /**
   * Checks before anything is created, so that somebody else's qdisc survives a failed ADD.
   *
   * @throws CniException when the link has a root qdisc that is not the kernel's own
   */
  static void requireNone(NetlinkSocket net, Link link) {
    root(net, link)
        .filter(qdisc -> !qdisc.handle().equals(Handle.NONE))
        .ifPresent(
            qdisc -> {
              throw new CniException(
                  ErrorCode.INTERNAL,
                  "\"%s\" already has a root qdisc: %s %s"
                      .formatted(link.name(), qdisc.discipline().kind(), qdisc.handle()),
                  "run DEL if ADD ran before for this interface, or remove it with"
                      + " `tc qdisc del dev %s root`".formatted(link.name()));
            });
  }

  /** The request that removes it, if it exists. */
  static List<NetlinkRequest> remove(NetlinkSocket net, Link link) {
    return root(net, link)
        .filter(qdisc -> qdisc.discipline() instanceof Tbf && qdisc.handle().equals(HANDLE))
        .map(qdisc -> List.of(Qdiscs.delete(link.index(), Handle.ROOT, HANDLE)))
        .orElse(List.of());
  }

  /**
   * Checks that it still exists and has the right settings.
   *
   * @throws CniException saying what is there instead
   */
  static void check(NetlinkSocket net, Link link, DirectionLimit limit, String direction) {
    Optional<Qdisc> root = root(net, link);
    if (root.isEmpty() || !(root.get().discipline() instanceof Tbf found)) {
      throw differs(
          "failed to find qdisc",
          direction,
          link,
          root.map(qdisc -> qdisc.discipline().toString()).orElse("no qdisc"),
          limit);
    }
    if (!limit.isKeptBy(found, link.mtu())) {
      Tbf wanted = limit.bucket(link.mtu());
      String what =
          !found.rate().equals(wanted.rate())
              ? "rate"
              : found.limit() != wanted.limit() ? "limit" : "buffer";
      throw differs(what + " doesn't match", direction, link, found.toString(), limit);
    }
  }

  private static CniException differs(
      String what, String direction, Link link, String found, DirectionLimit limit) {
    return new CniException(
        ErrorCode.INTERNAL,
        "%s: %s of \"%s\" has %s, should have %s"
            .formatted(what, direction, link.name(), found, limit.bucket(link.mtu())));
  }

  private static Optional<Qdisc> root(NetlinkSocket net, Link link) {
    return net.find(Qdiscs.at(link.index(), Handle.ROOT));
  }
}
