package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.kernel.InstalledFilter.InstalledSet;
import io.ocicat.agent.nft.MemberSetShape;
import io.ocicat.agent.nft.MemberSets;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sets of members: which set of the kernel each one is in, what is in those sets, and the
 * elements that come and go. A member that changes costs one element, however many there are. For
 * one thread.
 */
final class MemberSetReconciler implements MemberSets {
  /** With more networks than this, all members are compared: each one is a walk over them. */
  private static final int FEW_NETWORKS = 16;

  private record Stored(MemberSetShape shape, NamedSet set) {}

  private final DesiredFilter desired;
  private final Map<MemberSetId, Map<IpFamily, Stored>> stored = new HashMap<>();

  /** The members that are elements in the kernel, by the set's name. */
  private final Map<String, Set<SetMember>> applied = new HashMap<>();

  /** Elements in the kernel that are not ours, by the set's name. */
  private final Map<String, Set<Element>> foreign = new HashMap<>();

  private final Set<MemberSetId> dirty = new HashSet<>();
  private final Map<MemberSetId, Set<SetMember>> changed = new HashMap<>();

  MemberSetReconciler(DesiredFilter desired) {
    this.desired = desired;
  }

  @Override
  public NamedSet find(MemberSetId id, IpFamily family) {
    return stored(id, family).set();
  }

  private Stored stored(MemberSetId id, IpFamily family) {
    return stored
        .computeIfAbsent(id, _ -> new EnumMap<>(IpFamily.class))
        .computeIfAbsent(family, _ -> store(MemberSetShape.of(id, family, members(id))));
  }

  private static Stored store(MemberSetShape shape) {
    return new Stored(shape, shape.set());
  }

  private Set<SetMember> members(MemberSetId id) {
    return desired.sets().getOrDefault(id, Set.of());
  }

  /** The sets of the kernel for both families. */
  List<NamedSet> sets(MemberSetId id) {
    return List.of(find(id, IpFamily.V4), find(id, IpFamily.V6));
  }

  /** Takes note of changes, and returns the sets that are in another set of the kernel now. */
  Set<MemberSetId> note(FilterChanges changes) {
    Set<MemberSetId> moved = new HashSet<>();
    for (MemberSetId id : changes.sets()) {
      dirty.add(id);
      if (reshape(id)) {
        moved.add(id);
      }
    }
    changes
        .members()
        .forEach(
            (id, some) -> {
              changed.computeIfAbsent(id, _ -> new HashSet<>()).addAll(some);
              if (some.stream().anyMatch(MemberSetReconciler::isNetwork) && reshape(id)) {
                moved.add(id);
                dirty.add(id);
              }
            });
    return moved;
  }

  private static boolean isNetwork(SetMember member) {
    return MemberSetShape.isNetworkOf(member, IpFamily.V4)
        || MemberSetShape.isNetworkOf(member, IpFamily.V6);
  }

  private boolean reshape(MemberSetId id) {
    boolean moved = false;
    for (IpFamily family : IpFamily.values()) {
      MemberSetShape wanted = MemberSetShape.of(id, family, members(id));
      if (!wanted.equals(stored(id, family).shape())) {
        stored.computeIfAbsent(id, _ -> new EnumMap<>(IpFamily.class)).put(family, store(wanted));
        moved = true;
      }
    }
    return moved;
  }

  /** Compares everything with what the kernel has. */
  void adopt(Map<String, InstalledSet> installed, Set<MemberSetId> referenced) {
    applied.clear();
    foreign.clear();
    changed.clear();
    for (MemberSetId id : wanted(referenced)) {
      dirty.add(id);
      for (IpFamily family : IpFamily.values()) {
        Stored one = stored(id, family);
        InstalledSet there = installed.get(one.set().id().name());
        if (there != null) {
          adopt(one, there);
        }
      }
    }
  }

  private void adopt(Stored one, InstalledSet there) {
    Set<Element> others = new HashSet<>(there.elements());
    Set<SetMember> present = new HashSet<>();
    for (SetMember member : one.shape().elements(members(one.shape().id()))) {
      if (others.remove(one.shape().element(member))) {
        present.add(member);
      }
    }
    String name = one.set().id().name();
    applied.put(name, present);
    if (!others.isEmpty()) {
      foreign.put(name, others);
    }
  }

  private Set<MemberSetId> wanted(Set<MemberSetId> referenced) {
    Set<MemberSetId> wanted = new HashSet<>(desired.sets().keySet());
    wanted.addAll(referenced);
    return wanted;
  }

  /** The names of the sets that should exist. */
  Set<String> names(Set<MemberSetId> referenced) {
    Set<String> names = new HashSet<>();
    for (MemberSetId id : wanted(referenced)) {
      for (IpFamily family : IpFamily.values()) {
        names.add(find(id, family).id().name());
      }
    }
    return names;
  }

  /** Adds what a change of members needs. */
  void addMembers(FilterTransaction out) {
    changed.keySet().removeAll(dirty);
    changed.forEach((id, some) -> addChanged(id, some, out));
    out.then(changed::clear);
  }

  /** Adds what is needed for all sets that should exist, and forgets the others. */
  void addSets(Set<MemberSetId> referenced, FilterTransaction out) {
    Set<MemberSetId> wanted = wanted(referenced);
    for (MemberSetId id : wanted) {
      for (IpFamily family : IpFamily.values()) {
        Stored one = stored(id, family);
        boolean exists = applied.containsKey(one.set().id().name());
        if (!exists) {
          out.addSet(one.set());
        }
        if (!exists || dirty.contains(id)) {
          addWhole(one, out);
        }
      }
    }
    out.then(
        () -> {
          dirty.clear();
          stored.keySet().retainAll(wanted);
          Set<String> names = names(referenced);
          applied.keySet().retainAll(names);
          foreign.clear();
        });
  }

  private void addWhole(Stored one, FilterTransaction out) {
    String name = one.set().id().name();
    Set<SetMember> wanted = one.shape().elements(members(one.shape().id()));
    Set<SetMember> there = applied.getOrDefault(name, Set.of());
    List<Element> gone = new ArrayList<>(foreign.getOrDefault(name, Set.of()));
    there.stream()
        .filter(member -> !wanted.contains(member))
        .forEach(member -> gone.add(one.shape().element(member)));
    out.removeElements(one.set(), gone);
    out.addElements(
        one.set(),
        wanted.stream()
            .filter(member -> !there.contains(member))
            .map(one.shape()::element)
            .toList());
    out.then(() -> applied.put(name, wanted));
  }

  private void addChanged(MemberSetId id, Set<SetMember> some, FilterTransaction out) {
    Set<SetMember> present = members(id);
    for (IpFamily family : IpFamily.values()) {
      Stored one = stored(id, family);
      Set<SetMember> there = applied.get(one.set().id().name());
      if (there == null) {
        continue; // a set that does not exist yet is written as a whole
      }
      if (some.stream().filter(MemberSetReconciler::isNetwork).count() > FEW_NETWORKS) {
        addWhole(one, out);
        continue;
      }
      List<SetMember> added = new ArrayList<>();
      List<SetMember> removed = new ArrayList<>();
      for (SetMember member : one.shape().affected(some, present)) {
        boolean wanted = one.shape().isElement(member, present);
        if (wanted != there.contains(member)) {
          (wanted ? added : removed).add(member);
        }
      }
      out.removeElements(one.set(), removed.stream().map(one.shape()::element).toList());
      out.addElements(one.set(), added.stream().map(one.shape()::element).toList());
      out.then(
          () -> {
            removed.forEach(there::remove);
            there.addAll(added);
          });
    }
  }
}
