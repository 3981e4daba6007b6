package io.ocicat.plugins.net;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Interface;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.Result;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.SharedDeletion;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A container's veth pair that can be found from the host: the alias of the host end names its
 * owner, {@code cni:network/container/interface}.
 */
public final class OwnedVeth {
  private static final String ALIAS = "cni:";

  private OwnedVeth() {}

  /** The alias of the host end. */
  public static String alias(AttachmentOwner owner) {
    return ALIAS + owner.label();
  }

  /** Sets the owner's alias on a link, usually the host end of a veth pair. */
  public static NetlinkRequest label(int link, AttachmentOwner owner) {
    return Links.setAlias(link, alias(owner));
  }

  /** Whether a link has an owner's alias. */
  public static boolean isLabelled(Link link) {
    return link.alias().startsWith(ALIAS);
  }

  /** Whether a link's alias names this owner. */
  public static boolean isOf(Link link, AttachmentOwner owner) {
    return isAliased(link, owner);
  }

  /** Whether a link's alias names the owner's container and interface, on any network. */
  public static boolean isOfInterface(Link link, AttachmentOwner owner) {
    return isLabelled(link)
        && AttachmentOwner.isOneInterface(link.alias().substring(ALIAS.length()), owner.label());
  }

  /** Whether a link's alias names another container. */
  public static boolean isOfAnotherContainer(Link link, AttachmentOwner owner) {
    String alias = link.alias();
    return alias.startsWith(ALIAS)
        && !AttachmentOwner.isOneContainer(alias.substring(ALIAS.length()), owner.label());
  }

  /**
   * Removes the veth pair by its container end or, when that is not found, by its host end: a
   * namespace may live on without a name, and the veth pair with it.
   *
   * @param container the container's namespace, if it still exists
   * @param previous the result of ADD, if available
   */
  public static void remove(
      NetnsSockets host,
      Optional<NetnsSockets> container,
      AttachmentOwner owner,
      Optional<Result> previous) {
    if (container.isPresent() && removeInside(host, container.get(), owner)) {
      return;
    }
    Set<Link> found = new LinkedHashSet<>();
    previous.ifPresent(result -> found.addAll(named(host, owner, result)));
    if (found.isEmpty() && container.isEmpty()) {
      found.addAll(aliased(host, owner));
    }
    found.forEach(link -> SharedDeletion.delete(host.namespace(), host.route(), link.index()));
  }

  /**
   * Removes the link with the interface's name in the container. While other veth pairs of the same
   * host are being removed it joins them, by its host end: that takes more queries, but only one
   * wait.
   *
   * @return whether it existed
   */
  private static boolean removeInside(
      NetnsSockets host, NetnsSockets container, AttachmentOwner owner) {
    String name = owner.ifName().value();
    return SharedDeletion.alone(host.namespace(), () -> removeAtOnce(container, name))
        .orElseGet(
            () ->
                container
                    .link(name)
                    .flatMap(inside -> hostEnd(host, inside, owner))
                    .map(end -> SharedDeletion.delete(host.namespace(), host.route(), end.index()))
                    .orElseGet(() -> removeAtOnce(container, name)));
  }

  /** Only the alias is reliable: the index may belong to a link in another namespace. */
  private static Optional<Link> hostEnd(NetnsSockets host, Link inside, AttachmentOwner owner) {
    return inside.kind().equals("veth") && inside.peer() > 0
        ? host.route()
            .find(Links.byIndex(inside.peer()))
            .filter(end -> end.peer() == inside.index() && isAliased(end, owner))
        : Optional.empty();
  }

  private static boolean isAliased(Link link, AttachmentOwner owner) {
    return link.alias().equals(alias(owner));
  }

  /** Removes the network's veth pairs whose containers are not among the valid ones. */
  public static void collect(NetnsSockets host, NetworkName network, Set<Attachment> valid) {
    Set<String> kept =
        valid.stream()
            .flatMap(attachment -> AttachmentOwner.of(network, attachment).stream())
            .map(OwnedVeth::alias)
            .collect(Collectors.toSet());
    String ours = ALIAS + AttachmentOwner.labelPrefix(network);
    List<Link> stale =
        host.route()
            .list(
                Links.ofKind("veth")
                    .where(link -> link.alias().startsWith(ours) && !kept.contains(link.alias())));
    SharedDeletion.deleteAll(host.route(), stale.stream().map(Link::index).toList());
  }

  /** Whether it existed; one that is already gone is not an error. */
  private static boolean removeAtOnce(NetnsSockets net, String name) {
    NetlinkException failure =
        net.route().attempt(List.of(Links.delete(name))).getFirst().failure().orElse(null);
    if (failure != null && !failure.is(Errno.ENODEV)) {
      throw failure;
    }
    return failure == null;
  }

  private static List<Link> named(NetnsSockets host, AttachmentOwner owner, Result previous) {
    return previous.interfaces().stream()
        .filter(link -> link.isOnHost() && isLinkName(link.name()))
        .flatMap(named -> host.link(named.name()).filter(link -> isOf(link, named, owner)).stream())
        .toList();
  }

  private static boolean isLinkName(String name) {
    try {
      return !new InterfaceName(name).value().isEmpty();
    } catch (CniException e) {
      return false;
    }
  }

  /**
   * By its alias. The Go plugin sets none, but chooses name and hardware address at random, so the
   * pair is unique.
   */
  private static boolean isOf(Link link, Interface named, AttachmentOwner owner) {
    if (!link.kind().equals("veth")) {
      return false;
    }
    if (link.alias().startsWith(ALIAS)) {
      return isAliased(link, owner);
    }
    return named.name().startsWith("veth")
        && named.macAddress().filter(mac -> mac.equals(link.mac())).isPresent();
  }

  private static List<Link> aliased(NetnsSockets host, AttachmentOwner owner) {
    return host.route().list(Links.ofKind("veth").where(link -> isAliased(link, owner)));
  }
}
