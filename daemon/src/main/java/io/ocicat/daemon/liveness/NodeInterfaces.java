package io.ocicat.daemon.liveness;

import io.ocicat.daemon.address.KernelAddresses;
import io.ocicat.daemon.address.KernelAddresses.Holder;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.OwnedVeth;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of this machine's interfaces for one pass over suspects: every namespace is read once,
 * when the first suspect needs it. For one thread, and for seconds.
 */
public final class NodeInterfaces {
  private @Nullable Map<IpAddress, List<Holder>> addresses;
  private final Map<Path, List<Link>> labelled = new HashMap<>();

  /** Whether the alias of a link on the host names the owner's container and interface. */
  boolean anyOf(AttachmentOwner owner, Path host) {
    return labelled.computeIfAbsent(host, NodeInterfaces::labelledOn).stream()
        .anyMatch(link -> OwnedVeth.isOfInterface(link, owner));
  }

  private static List<Link> labelledOn(Path host) {
    try (NetNs namespace = NetNs.open(host);
        NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE, namespace)) {
      return route.list(Links.ofKind("veth").where(OwnedVeth::isLabelled));
    }
  }

  /**
   * Whether an interface that is on the host, or that leads there, has one of these addresses. The
   * same address on another host, which may also be a namespace of this machine, does not count.
   *
   * @param excluded a namespace whose interfaces do not count
   */
  boolean haveAny(Set<IpAddress> wanted, Path host, NamespaceId excluded) {
    if (wanted.isEmpty()) {
      return false;
    }
    if (addresses == null) {
      addresses = KernelAddresses.holders();
    }
    for (IpAddress address : wanted) {
      for (Holder holder : addresses.getOrDefault(address, List.of())) {
        if (!holder.namespace().equals(excluded) && leadsTo(host, holder)) {
          return true;
        }
      }
    }
    return false;
  }

  /** A namespace that is gone meanwhile leads nowhere. */
  private static boolean leadsTo(Path host, Holder holder) {
    try (NetNs namespace = NetNs.open(holder.path());
        NetNs outside = NetNs.open(host);
        NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE, namespace)) {
      if (namespace.id().equals(outside.id())) {
        return true;
      }
      Optional<Link> link = route.find(Links.byIndex(holder.link()));
      return link.isPresent()
          && (link.get().peerNamespace() < 0
              || link.get().peerNamespace()
                  == route.find(Links.numberOf(outside)).orElse(Integer.MIN_VALUE));
    } catch (NetlinkException e) {
      if (KernelAddresses.isGone(e)) {
        return false;
      }
      throw e;
    }
  }
}
