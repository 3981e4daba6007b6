package io.ocicat.plugins.portmap;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.support.Undo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The ports of the host and who has them. Every change is one transaction and costs as much as the
 * owner has ports, however many others there are: an element is found by its key, and an owner's
 * elements by what it keeps in {@link FamilySets#owners}. Belongs to one call; not thread-safe.
 */
final class HostPorts {
  private static final int ATTEMPTS = 20;

  /**
   * How many lookups there are between two looks at the clock: some milliseconds. What has only a
   * few ports is finished even if it began late.
   */
  private static final int LOOKUPS_AT_ONCE = 256;

  private final NetlinkSocket netfilter;
  private final PortOwner owners;
  private final Deadline deadline;
  private int lookups;

  /** For what must be finished, however long it takes. */
  HostPorts(NetlinkSocket netfilter) {
    this(netfilter, Deadline.NEVER);
  }

  /**
   * @param deadline after which nothing more is looked up; what was begun to be changed is finished
   */
  HostPorts(NetlinkSocket netfilter, Deadline deadline) {
    this(netfilter, PortOwner.USUAL, deadline);
  }

  HostPorts(NetlinkSocket netfilter, PortOwner owners, Deadline deadline) {
    this.netfilter = netfilter;
    this.owners = owners;
    this.deadline = deadline;
  }

  /**
   * Gives an owner what it claims, in place of what it had before. A port that another attachment
   * of the same container has stays there, and this one waits for it.
   *
   * @return the owner's active forwards
   * @throws CniException with code 11 when another container has one of the ports; then nothing
   *     changed
   */
  List<Forward> assign(PortClaim wanted) {
    PortClaim claim = wanted;
    List<NetlinkRequest> table = List.of();
    List<NetlinkRequest> deletions = List.of();
    for (int attempt = 1; ; attempt++) {
      try {
        List<NetlinkRequest> requests = new ArrayList<>(table);
        requests.addAll(deletions);
        requests.addAll(claim.requests());
        netfilter.transact(requests);
        return deletions.isEmpty() && claim.conflicts().equals(PortConflicts.FIRST)
            ? claim.forwards()
            : confirm(wanted);
      } catch (NetlinkException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        } else if (e.is(Errno.ENOENT) && table.isEmpty()) {
          table = PortmapTable.structure();
        } else if (e.is(Errno.EEXIST) || e.is(Errno.ENOENT)) {
          // Also when elements to be deleted have disappeared meanwhile.
          claim = wanted.at(PortConflicts.of(wanted, this));
          claim.conflicts().requireNoneTaken(owners);
          deletions = deletions(claim);
        } else {
          throw e;
        }
      }
    }
  }

  /**
   * Offers the ports that an owner gave up to others, and ensures that it only waits for its own.
   */
  private List<Forward> confirm(PortClaim wanted) {
    String label = wanted.label();
    try (Undo undo = new Undo()) {
      // Often it is the deadline that has failed it.
      undo.onFailure(() -> new HostPorts(netfilter).release(label));
      promote(other -> AttachmentOwner.isOneContainer(other, label));
      PortConflicts conflicts = PortConflicts.of(wanted, this);
      conflicts.requireNoneTaken(owners);
      return undo.keep(wanted.at(conflicts).effective());
    }
  }

  /** Removes all that an owner has; forwards of the same container that waited for it are next. */
  List<StoredForward> release(String label) {
    for (int attempt = 1; ; attempt++) {
      OwnerState state = ownerState(label);
      try {
        netfilter.transact(state.deletions());
        promote(other -> AttachmentOwner.isOneContainer(other, label));
        return state.forwards();
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOENT) || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Gives free ports to those of these owners that wait for them. It runs after a port became free,
   * and after an owner began to wait: so in either order, the second one notices the first.
   */
  void promote(Predicate<String> labels) {
    for (FamilySets family : FamilySets.BOTH) {
      netfilter.list(Elements.in(family.waiting).noneWhen(Errno.ENOENT)).stream()
          .filter(element -> labels.test(element.comment()))
          .forEach(element -> promote(family, element.comment(), family.awaited(element)));
    }
  }

  private void promote(FamilySets family, String label, Forward forward) {
    List<NetlinkRequest> requests = new ArrayList<>();
    SetElement wider = family.port(forward.port().onAllAddresses());
    if (get(wider).filter(element -> isOf(label, element)).isEmpty()) {
      requests.addAll(family.requireWiderFree(forward));
    }
    requests.add(family.forward(forward).withComment(label).create());
    requests.add(family.waiting(label, forward).delete());
    try {
      netfilter.transact(requests);
    } catch (NetlinkException e) {
      if (!e.is(Errno.EEXIST) && !e.is(Errno.ENOENT)) {
        throw e;
      }
      // Somebody still has the port, or nobody waits for it any more.
    }
  }

  /** Whether an owner has anything, with a query or two however much that is. */
  boolean hasAny(String label) {
    return FamilySets.BOTH.stream()
        .anyMatch(
            family ->
                find(family.owned(label, 0)).filter(element -> isOf(label, element)).isPresent());
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

  /** Restores rules of the table that somebody removed, if there is a table. */
  void restoreTable() {
    if (netfilter.find(Tables.get(PortmapTable.TABLE)).isPresent()) {
      netfilter.transact(PortmapTable.structure());
    }
  }

  /**
   * The element of this key that the kernel has.
   *
   * @throws CniException with code 11 when the caller's time is over
   */
  Optional<Element> find(SetElement entry) {
    if (++lookups % LOOKUPS_AT_ONCE == 0 && deadline.hasPassed()) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER,
          "the caller's time is over after %d lookups in table %s"
              .formatted(lookups, PortmapTable.TABLE),
          "allow more time for a container with so many ports");
    }
    return get(entry);
  }

  private Optional<Element> get(SetElement entry) {
    return netfilter.find(Elements.get(entry.set(), entry.element()));
  }

  /** The rules of an owner whose ports have conditions. */
  List<InstalledRule> rules(String label) {
    return netfilter.list(
        Rules.in(PortmapTable.CONDITIONAL).where(rule -> rule.comment().equals(label)));
  }

  /**
   * What must be removed before a claim can be met: what its owner had before, and stale elements
   * about an address that is now its container's. Ports never change hands.
   */
  private List<NetlinkRequest> deletions(PortClaim claim) {
    OwnerState before = ownerState(claim.label());
    Map<SetElement, NetlinkRequest> deletions = new LinkedHashMap<>(before.elements());
    for (SetElement entry : claim.entries()) {
      SetElement key = entry.key();
      Optional<Element> present =
          find(key).filter(found -> entry.isAboutAddress() || isOf(claim.label(), found));
      if (present.isPresent()) {
        deletions.putIfAbsent(key, key.delete());
      }
    }
    List<NetlinkRequest> requests = new ArrayList<>(deletions.values());
    requests.addAll(before.rules());
    return requests;
  }

  private static boolean isOf(String label, Element element) {
    return element.comment().equals(label);
  }

  /** What an owner has, and how to delete it. */
  private record OwnerState(
      List<StoredForward> forwards,
      Map<SetElement, NetlinkRequest> elements,
      List<NetlinkRequest> rules) {
    List<NetlinkRequest> deletions() {
      List<NetlinkRequest> all = new ArrayList<>(elements.values());
      all.addAll(rules);
      return all;
    }
  }

  private OwnerState ownerState(String label) {
    List<StoredForward> forwards = new ArrayList<>();
    Set<SetElement> possible = new LinkedHashSet<>();
    Map<SetElement, NetlinkRequest> elements = new LinkedHashMap<>();
    for (FamilySets family : FamilySets.BOTH) {
      for (int i = 0; i <= 0xffff; i++) {
        SetElement key = family.owned(label, i);
        Optional<Element> found = find(key).filter(element -> isOf(label, element));
        if (found.isEmpty()) {
          break;
        }
        StoredForward forward = family.stored(found.get());
        forwards.add(forward);
        elements.put(key, key.delete());
        possible.addAll(family.possible(label, forward));
      }
    }
    for (SetElement entry : possible) {
      if (find(entry).filter(element -> isOf(label, element)).isPresent()) {
        elements.put(entry, entry.delete());
      }
    }
    List<NetlinkRequest> rules =
        forwards.isEmpty() ? List.of() : rules(label).stream().map(Rules::delete).toList();
    return new OwnerState(forwards, elements, rules);
  }
}
