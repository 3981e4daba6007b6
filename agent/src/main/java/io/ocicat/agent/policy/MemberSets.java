package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.policy.model.NamedPort;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.ServiceName;
import io.ocicat.agent.policy.model.ServiceSlice;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.selector.Selector;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * The sets that rules in use refer to, and their members: addresses and ports of the endpoints,
 * network sets and services of the whole cluster.
 */
final class MemberSets {
  /** Lists of ports that endpoints share; beyond that, some have their own. */
  private static final int SHARED_LISTS = 10_000;

  private record Entry(ClusterItem item, LabelClass<ClusterItem, MemberSet> itsClass) {}

  private final DesiredFilter filter;
  private final LabelIndex<ClusterItem, MemberSet> index;
  private final Map<ResourceKey, Entry> items = new HashMap<>();
  private final Map<List<NamedPort>, List<NamedPort>> portLists = new HashMap<>();
  private final Map<ResourceKey, ServiceSlice> slices = new HashMap<>();
  private final Map<ServiceName, Set<ResourceKey>> slicesOfService = new HashMap<>();
  private final Map<MemberSetId, MemberSet> sets = new HashMap<>();
  private final Map<ServiceName, Set<MemberSet>> setsOfService = new HashMap<>();

  MemberSets(DesiredFilter filter, Function<String, Map<String, String>> profileLabels) {
    this.filter = filter;
    this.index =
        new LabelIndex<>(
            profileLabels,
            new LabelIndex.Listener<>() {
              @Override
              public void added(MemberSet set, ClusterItem item) {
                item.forEachMember(set.source(), set::add);
              }

              @Override
              public void removed(MemberSet set, ClusterItem item) {
                item.forEachMember(set.source(), set::remove);
              }
            });
  }

  /** The new item comes before the old one goes, so members they share never leave a set. */
  void put(PolicyMember member) {
    Entry before = items.get(member.key());
    if (before != null
        && before.item().has(member.nets(), member.ports())
        && before.itsClass().key().labels().equals(member.labels())
        && before.itsClass().key().profiles().equals(member.profiles())) {
      return;
    }
    if (portLists.size() >= SHARED_LISTS) {
      portLists.clear();
    }
    ClusterItem item =
        new ClusterItem(
            member.nets(), portLists.computeIfAbsent(member.ports(), Function.identity()));
    Entry entry = new Entry(item, index.add(member.labels(), member.profiles(), item));
    items.put(member.key(), entry);
    if (before != null) {
      index.remove(before.itsClass(), before.item());
    }
  }

  void remove(ResourceKey key) {
    Entry before = items.remove(key);
    if (before != null) {
      index.remove(before.itsClass(), before.item());
    }
  }

  Collection<ResourceKey> members(Kind kind) {
    return items.keySet().stream().filter(key -> key.kind() == kind).toList();
  }

  void profileChanged(String profile) {
    index.profileChanged(profile);
  }

  void putSlice(ServiceSlice slice) {
    ServiceSlice before = slices.put(slice.key(), slice);
    slicesOfService.computeIfAbsent(slice.service(), _ -> new HashSet<>()).add(slice.key());
    setsOfService
        .getOrDefault(slice.service(), Set.of())
        .forEach(set -> membersOf(slice, set).forEach(set::add));
    if (before != null) {
      withdraw(before, slice.service().equals(before.service()));
    }
  }

  void removeSlice(ResourceKey key) {
    ServiceSlice before = slices.remove(key);
    if (before != null) {
      withdraw(before, /* stays= */ false);
    }
  }

  private void withdraw(ServiceSlice slice, boolean stays) {
    setsOfService
        .getOrDefault(slice.service(), Set.of())
        .forEach(set -> membersOf(slice, set).forEach(set::remove));
    Set<ResourceKey> keys = slicesOfService.get(slice.service());
    if (!stays && keys != null) {
      keys.remove(slice.key());
      if (keys.isEmpty()) {
        slicesOfService.remove(slice.service());
      }
    }
  }

  Collection<ResourceKey> slices() {
    return List.copyOf(slices.keySet());
  }

  private static List<SetMember> membersOf(ServiceSlice slice, MemberSet set) {
    return set.source() instanceof MemberSource.ServicePorts
        ? slice.addressPorts()
        : slice.networks();
  }

  /** Makes the set of a source, unless it is in use already; each call needs a {@link #release}. */
  MemberSetId acquire(MemberSource source) {
    MemberSetId id = source.id();
    MemberSet set = sets.get(id);
    if (set == null) {
      set = new MemberSet(source, id, filter);
      sets.put(id, set);
      fill(set);
    }
    set.refer();
    return id;
  }

  private void fill(MemberSet set) {
    switch (set.source()) {
      case MemberSource.Selected selected -> fill(set, selected.selector());
      case MemberSource.PortsByName named -> fill(set, named.selector());
      case MemberSource.ServiceAddresses addresses -> fill(set, addresses.service());
      case MemberSource.ServicePorts ports -> fill(set, ports.service());
    }
  }

  private void fill(MemberSet set, Selector selector) {
    SelectorUsers<ClusterItem, MemberSet> users = index.addUser(selector, set);
    set.setSelector(users);
    users.forEachItem(item -> item.forEachMember(set.source(), set::add));
  }

  private void fill(MemberSet set, ServiceName service) {
    setsOfService.computeIfAbsent(service, _ -> new HashSet<>()).add(set);
    for (ResourceKey key : slicesOfService.getOrDefault(service, Set.of())) {
      membersOf(Objects.requireNonNull(slices.get(key)), set).forEach(set::add);
    }
  }

  void release(MemberSetId id) {
    MemberSet set = Objects.requireNonNull(sets.get(id));
    if (!set.unrefer()) {
      return;
    }
    sets.remove(id);
    filter.removeSet(id);
    switch (set.source()) {
      case MemberSource.Selected _, MemberSource.PortsByName _ ->
          index.removeUser(Objects.requireNonNull(set.selector()), set);
      case MemberSource.ServiceAddresses addresses -> forget(set, addresses.service());
      case MemberSource.ServicePorts ports -> forget(set, ports.service());
    }
  }

  private void forget(MemberSet set, ServiceName service) {
    Set<MemberSet> ofService = setsOfService.get(service);
    if (ofService != null) {
      ofService.remove(set);
      if (ofService.isEmpty()) {
        setsOfService.remove(service);
      }
    }
  }
}
