package io.ocicat.plugins.masquerade;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Sets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Maps addresses to their owners, and back, in {@link MasqueradeTable}. The comment of an address's
 * element in the set of sources names its owner; an {@link OwnerEntry} lists an owner's addresses.
 * So no call has to read a whole set, however large it is.
 *
 * <p>{@link #grant} and {@link #revoke} are for the usual case and read nothing: they add new
 * elements, or remove the owner's entry, so that the kernel rejects the whole transaction when the
 * case is unusual. {@link #exchange} and {@link #release} read first, and must be part of a {@link
 * io.ocicat.plugins.net.CurrentRuleset}.
 */
final class AddressHolders {
  private final NetlinkSocket netfilter;

  AddressHolders(NetlinkSocket netfilter) {
    this.netfilter = netfilter;
  }

  /** Gives addresses without an owner to an owner without addresses. */
  static List<NetlinkRequest> grant(String label, List<IpPrefix> addresses) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (IpSets family : IpSets.BOTH) {
      List<IpPrefix> own = family.only(addresses);
      if (!own.isEmpty()) {
        requests.add(OwnerEntry.create(family, label, own));
      }
      for (IpPrefix address : own) {
        Element source = IpSets.source(address.address()).withComment(label);
        Element neighbour = IpSets.neighbour(address).withComment(label);
        requests.add(Elements.create(family.sources, source));
        requests.add(Elements.create(family.neighbours(address.length()), neighbour));
      }
    }
    return requests;
  }

  /** Removes all that an owner has, which must be these addresses. */
  static List<NetlinkRequest> revoke(String label, List<IpPrefix> addresses) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (IpSets family : IpSets.BOTH) {
      List<IpPrefix> own = family.only(addresses);
      if (!own.isEmpty()) {
        requests.add(OwnerEntry.delete(family, label));
      }
      for (IpPrefix address : own) {
        requests.add(Elements.delete(family.sources, IpSets.source(address.address())));
        requests.add(
            Elements.delete(family.neighbours(address.length()), IpSets.neighbour(address)));
      }
    }
    return requests;
  }

  /**
   * Replaces an owner's addresses. A previous owner of one of them has lost it without noticing,
   * and keeps the rest.
   */
  List<NetlinkRequest> exchange(String label, List<IpPrefix> addresses) {
    Set<String> losers = new LinkedHashSet<>(List.of(label));
    addresses.forEach(address -> holderOf(address.address()).ifPresent(losers::add));
    Set<IpAddress> moving = new LinkedHashSet<>();
    addresses.forEach(address -> moving.add(address.address()));
    of(label).forEach(address -> moving.add(address.address()));

    List<NetlinkRequest> requests = new ArrayList<>();
    for (String loser : losers) {
      requests.addAll(shrink(loser, moving));
    }
    requests.addAll(forget(moving, _ -> true));
    requests.addAll(grant(label, addresses));
    return requests;
  }

  /** Removes whatever an owner has, but nothing that another one has by now. */
  List<NetlinkRequest> release(String label) {
    List<NetlinkRequest> requests = new ArrayList<>();
    Set<IpAddress> own = new LinkedHashSet<>();
    of(label).forEach(address -> own.add(address.address()));
    for (IpSets family : IpSets.BOTH) {
      if (entryOf(family, label).isPresent()) {
        requests.add(OwnerEntry.delete(family, label));
      }
    }
    requests.addAll(forget(own, label::equals));
    return requests;
  }

  /** What an owner has according to its own entry, with the subnets. */
  List<IpPrefix> of(String label) {
    List<IpPrefix> addresses = new ArrayList<>();
    for (IpSets family : IpSets.BOTH) {
      entryOf(family, label).ifPresent(entry -> addresses.addAll(listed(entry)));
    }
    return addresses;
  }

  /** The label of the address's owner. */
  Optional<String> holderOf(IpAddress address) {
    return netfilter
        .find(Elements.get(IpSets.of(address).sources, IpSets.source(address)))
        .map(Element::comment);
  }

  /** The same for the address's own subnet, which it reaches without being masqueraded. */
  Optional<String> holderOf(IpPrefix address) {
    NamedSet set = IpSets.of(address.address()).neighbours(address.length());
    return netfilter.find(Elements.get(set, IpSets.neighbour(address))).map(Element::comment);
  }

  /** The labels of all owners. */
  Set<String> labels() {
    Set<String> labels = new HashSet<>();
    for (IpSets family : IpSets.BOTH) {
      netfilter
          .list(Elements.in(family.sources).noneWhen(Errno.ENOENT))
          .forEach(source -> labels.add(source.comment()));
    }
    return labels;
  }

  private Optional<OwnerEntry> entryOf(IpSets family, String label) {
    return OwnerEntry.read(netfilter, family, label);
  }

  private List<IpPrefix> listed(OwnerEntry entry) {
    return entry
        .addresses()
        .orElseGet(
            () ->
                netfilter.list(Elements.in(entry.family().sources)).stream()
                    .filter(source -> source.comment().equals(entry.label()))
                    .flatMap(source -> subnetsOf(source.first().getFirst().address()).stream())
                    .toList());
  }

  /** The address with each subnet that it reaches without being masqueraded. */
  private List<IpPrefix> subnetsOf(IpAddress address) {
    return MasqueradeTable.lengths(
            IpSets.of(address), netfilter.list(Sets.in(MasqueradeTable.TABLE)))
        .stream()
        .map(length -> IpPrefix.of(address, length))
        .filter(subnet -> holderOf(subnet).isPresent())
        .toList();
  }

  private List<NetlinkRequest> shrink(String label, Set<IpAddress> without) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (IpSets family : IpSets.BOTH) {
      Optional<OwnerEntry> entry = entryOf(family, label);
      if (entry.isPresent()) {
        requests.add(OwnerEntry.delete(family, label));
        List<IpPrefix> rest =
            listed(entry.get()).stream()
                .filter(address -> !without.contains(address.address()))
                .toList();
        if (!rest.isEmpty()) {
          requests.add(OwnerEntry.create(family, label, rest));
        }
      }
    }
    return requests;
  }

  private List<NetlinkRequest> forget(Set<IpAddress> addresses, Predicate<String> holder) {
    List<NetlinkRequest> requests = new ArrayList<>();
    for (IpAddress address : addresses) {
      IpSets family = IpSets.of(address);
      if (holderOf(address).filter(holder).isPresent()) {
        requests.add(Elements.delete(family.sources, IpSets.source(address)));
      }
      for (IpPrefix subnet : subnetsOf(address)) {
        if (holderOf(subnet).filter(holder).isPresent()) {
          NamedSet neighbours = family.neighbours(subnet.length());
          requests.add(Elements.delete(neighbours, IpSets.neighbour(subnet)));
        }
      }
    }
    return requests;
  }
}
