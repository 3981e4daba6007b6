package io.ocicat.plugins.net;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Interface;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.Result;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.Outcome;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A container's cable that can be found from the host: the alias of the end there says whose it is,
 * {@code cni:network/container/interface}.
 */
public final class OwnedCable {
  private static final String ALIAS = "cni:";

  /** Of links that are about to be deleted together: the letters of our name. */
  private static final int TRASH = 0x6f636963;

  private OwnedCable() {}

  /**
   * Makes the cable.
   *
   * @throws CniException when the container has a link of that name already
   */
  public static VethPair create(Net host, Net container, Owner owner, VethPair.Plan plan) {
    return VethPair.create(
        host,
        container,
        plan.then(
            name -> {
              List<Request> requests = new ArrayList<>(plan.then().apply(name));
              requests.add(Links.set(name, LinkSettings.none().alias(ALIAS + owner.label())));
              return requests;
            }));
  }

  /** Writes on the host's end of a cable whose it is. */
  public static Request label(int hostEnd, Owner owner) {
    return Links.setAlias(hostEnd, ALIAS + owner.label());
  }

  /** Whether a link says that it is a cable, but not one of the owner's container. */
  public static boolean isOfAnotherContainer(Link link, Owner owner) {
    String alias = link.alias();
    return alias.startsWith(ALIAS)
        && !Owner.isOneContainer(alias.substring(ALIAS.length()), owner.label());
  }

  /**
   * Removes the cable by its end in the container, or where that is not to be found by the one on
   * the host: a namespace may live on without a name, and the cable with it.
   *
   * @param container what is left of the container's namespace
   * @param previous what ADD returned, if it is at hand
   */
  public static void remove(
      Net host, Optional<Net> container, Owner owner, Optional<Result> previous) {
    Request inside = Links.delete(owner.ifName().value());
    if (container.isPresent() && performOnRemaining(container.get(), List.of(inside))) {
      return;
    }
    List<Link> found =
        previous.isPresent()
            ? named(host, owner, previous.get())
            : container.isPresent() ? List.of() : aliased(host, owner);
    performOnRemaining(host, found.stream().map(link -> Links.delete(link.index())).toList());
  }

  /** Removes those of a network's cables whose containers are not among the valid ones. */
  public static void collect(Net host, NetworkName network, Set<Attachment> valid) {
    Set<String> kept =
        valid.stream()
            .flatMap(attachment -> Owner.of(network, attachment).stream())
            .map(owner -> ALIAS + owner.label())
            .collect(Collectors.toSet());
    String ours = ALIAS + Owner.labelPrefix(network);
    List<Link> stale =
        host.route()
            .list(
                Links.ofKind("veth")
                    .where(link -> link.alias().startsWith(ours) && !kept.contains(link.alias())));
    if (!stale.isEmpty()) {
      // Deleted as a group they wait together; one after the other each would wait 20 ms.
      Stream<Request> marking = stale.stream().map(link -> Links.setGroup(link.index(), TRASH));
      performOnRemaining(
          host, Stream.concat(marking, Stream.of(Links.deleteGroup(TRASH))).toList());
    }
  }

  /** Whether all were there; gone already is fine. */
  private static boolean performOnRemaining(Net net, List<Request> requests) {
    boolean all = true;
    for (Outcome outcome : net.route().attempt(requests)) {
      NetlinkException failure = outcome.failure().orElse(null);
      if (failure != null && !failure.is(Errno.ENODEV)) {
        throw failure;
      }
      all &= failure == null;
    }
    return all;
  }

  private static List<Link> named(Net host, Owner owner, Result previous) {
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
   * By its alias. The original gives none, but chooses name and hardware address at random: nobody
   * else has both.
   */
  private static boolean isOf(Link link, Interface named, Owner owner) {
    if (!link.kind().equals("veth")) {
      return false;
    }
    if (link.alias().startsWith(ALIAS)) {
      return link.alias().equals(ALIAS + owner.label());
    }
    return named.name().startsWith("veth")
        && named.macAddress().filter(mac -> mac.equals(link.mac())).isPresent();
  }

  private static List<Link> aliased(Net host, Owner owner) {
    return host.route()
        .list(Links.ofKind("veth").where(link -> link.alias().equals(ALIAS + owner.label())));
  }
}
