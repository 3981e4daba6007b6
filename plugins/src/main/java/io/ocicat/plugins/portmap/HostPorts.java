package io.ocicat.plugins.portmap;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Tables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The ports of the host and who has them. Every change is one transaction and costs as much as the
 * owner has ports, however many others there are: an element is found by its key, and an owner's
 * elements by what it keeps in {@link FamilySets#owners}.
 */
final class HostPorts {
  private static final int ATTEMPTS = 20;

  private final NetlinkSocket netfilter;

  HostPorts(NetlinkSocket netfilter) {
    this.netfilter = netfilter;
  }

  /**
   * Gives an owner what it claims, in place of what it had before.
   *
   * @throws CniException with code 11 when somebody else has one of the ports; then nothing changed
   */
  void give(Claim claim) {
    List<Request> table = List.of();
    List<Request> room = List.of();
    for (int attempt = 1; ; attempt++) {
      try {
        List<Request> requests = new ArrayList<>(table);
        requests.addAll(room);
        requests.addAll(claim.requests());
        netfilter.transact(requests);
        return;
      } catch (NetlinkException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        } else if (e.is(Errno.ENOENT) && table.isEmpty()) {
          table = PortmapTable.structure();
        } else if (e.is(Errno.EEXIST) || e.is(Errno.ENOENT)) {
          // Also when what there was to delete is gone meanwhile.
          room = room(claim);
        } else {
          throw e;
        }
      }
    }
  }

  /** Takes away all that an owner has. */
  List<Holding> take(String label) {
    for (int attempt = 1; ; attempt++) {
      Belongings belongings = belongings(label);
      try {
        netfilter.transact(belongings.deletions());
        return belongings.holdings();
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOENT) || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** What an owner has. */
  List<Holding> holdings(String label) {
    return belongings(label).holdings();
  }

  /** The labels of all owners. */
  Set<String> owners() {
    Set<String> labels = new LinkedHashSet<>();
    for (FamilySets family : FamilySets.BOTH) {
      netfilter
          .list(Elements.in(family.owners).noneWhen(Errno.ENOENT))
          .forEach(element -> labels.add(element.comment()));
    }
    return labels;
  }

  /** Puts back rules of the table that somebody removed, if there is a table. */
  void restoreTable() {
    if (netfilter.find(Tables.get(PortmapTable.TABLE)).isPresent()) {
      netfilter.transact(PortmapTable.structure());
    }
  }

  /** The element of this key that the kernel has. */
  Optional<Element> find(Entry entry) {
    return netfilter.find(Elements.get(entry.set(), entry.element()));
  }

  /** The rules of an owner whose ports have conditions. */
  List<InstalledRule> rules(String label) {
    return netfilter.list(
        Rules.in(PortmapTable.CONDITIONAL).where(rule -> rule.comment().equals(label)));
  }

  /**
   * What must go before a claim can be met: what its owner has from before, and what others left
   * behind about an address that is now its container's. Ports never change hands.
   */
  private List<Request> room(Claim claim) {
    claim.forwardsByMap().forEach(forward -> requireFree(forward, claim.label()));
    Belongings before = belongings(claim.label());
    Map<Entry, Request> deletions = new LinkedHashMap<>(before.elements());
    for (Entry entry : claim.entries()) {
      Entry key = entry.key();
      Optional<Element> present =
          find(key)
              .filter(found -> entry.isAboutAddress() || found.comment().equals(claim.label()));
      if (present.isPresent()) {
        deletions.putIfAbsent(key, key.delete());
      }
    }
    List<Request> requests = new ArrayList<>(deletions.values());
    requests.addAll(before.rules());
    return requests;
  }

  private void requireFree(Forward forward, String label) {
    FamilySets family = FamilySets.of(forward);
    HostPort wanted = forward.port();
    for (HostPort port : List.of(wanted, wanted.onAllAddresses())) {
      String holder = find(family.port(port)).map(Element::comment).orElse(label);
      if (!holder.equals(label)) {
        throw new CniException(
            ErrorCode.TRY_AGAIN_LATER,
            "host port %s is taken by %s".formatted(wanted, holder),
            "that is network/container/interface: DEL of it, or GC of its network, makes the port"
                + " free; or choose another host port");
      }
    }
  }

  /** What an owner has, and how to delete it. */
  private record Belongings(
      List<Holding> holdings, Map<Entry, Request> elements, List<Request> rules) {
    List<Request> deletions() {
      List<Request> all = new ArrayList<>(elements.values());
      all.addAll(rules);
      return all;
    }
  }

  private Belongings belongings(String label) {
    List<Holding> holdings = new ArrayList<>();
    Set<Entry> possible = new LinkedHashSet<>();
    Map<Entry, Request> elements = new LinkedHashMap<>();
    for (FamilySets family : FamilySets.BOTH) {
      for (int i = 0; i <= 0xffff; i++) {
        Entry key = family.owned(label, i);
        Optional<Element> found = find(key).filter(element -> element.comment().equals(label));
        if (found.isEmpty()) {
          break;
        }
        Holding holding = family.holding(found.get());
        holdings.add(holding);
        elements.put(key, key.delete());
        possible.addAll(family.belonging(holding));
      }
    }
    for (Entry entry : possible) {
      if (find(entry).filter(element -> element.comment().equals(label)).isPresent()) {
        elements.put(entry, entry.delete());
      }
    }
    List<Request> rules =
        holdings.isEmpty() ? List.of() : rules(label).stream().map(Rules::delete).toList();
    return new Belongings(holdings, elements, rules);
  }
}
