package io.ocicat.daemon.liveness;

import io.ocicat.daemon.liveness.Evidence.Inside;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.OwnedVeth;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds out which attachment an interface in a container belongs to. A veth pair names it in the
 * alias of its host end, other links in their own; those of earlier versions and those without an
 * alias are recognized by the hardware address that ADD returned.
 */
final class ContainerLink {
  private ContainerLink() {}

  static Inside classify(Path container, String name, Path host, Suspect suspect) {
    try (NetNs inside = NetNs.open(container);
        NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE, inside)) {
      Optional<Link> link = route.find(Links.named(name)).filter(it -> !it.isLoopback());
      return link.isEmpty() ? Inside.NOTHING : classify(link.get(), route, host, suspect);
    }
  }

  private static Inside classify(Link link, NetlinkSocket route, Path host, Suspect suspect) {
    Link labelled = link;
    if (link.kind().equals("veth")) {
      Optional<Link> end = hostEnd(link, route, host);
      if (end.isEmpty()) {
        return Inside.FOREIGN;
      }
      labelled = end.get();
    }
    Optional<AttachmentOwner> owner = suspect.owner();
    if (OwnedVeth.isLabelled(labelled)) {
      Link label = labelled;
      return owner.filter(it -> OwnedVeth.isOf(label, it)).isPresent()
          ? Inside.OWN
          : Inside.FOREIGN;
    }
    if (suspect.mac().filter(mac -> mac.equals(link.mac())).isPresent()) {
      return Inside.OWN;
    }
    return link.isUp() ? Inside.FOREIGN : Inside.HALF_MADE;
  }

  /** Empty when the other end of the veth pair is elsewhere. */
  private static Optional<Link> hostEnd(Link inside, NetlinkSocket route, Path host) {
    if (inside.peer() <= 0) {
      return Optional.empty();
    }
    try (NetNs outside = NetNs.open(host);
        NetlinkSocket there = NetlinkSocket.open(Protocol.ROUTE, outside)) {
      int number = route.find(Links.numberOf(outside)).orElse(-1);
      return inside.peerNamespace() == number
          ? there.find(Links.byIndex(inside.peer())).filter(end -> end.peer() == inside.index())
          : Optional.empty();
    }
  }
}
