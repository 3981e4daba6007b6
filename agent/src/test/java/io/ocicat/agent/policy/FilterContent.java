package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterChanges;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.filter.SetMember;
import io.ocicat.agent.filter.WorkloadFilter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** All that is in a {@link DesiredFilter}, to be compared. */
record FilterContent(
    Map<String, WorkloadFilter> workloads,
    Map<String, HostFilter> hosts,
    Map<RuleListId, List<FilterRule>> ruleLists,
    Map<MemberSetId, Set<SetMember>> sets) {

  static FilterContent empty() {
    return new FilterContent(new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashMap<>());
  }

  static FilterContent of(DesiredFilter filter) {
    FilterContent content = empty();
    content.workloads.putAll(filter.workloads());
    content.hosts.putAll(filter.hosts());
    content.ruleLists.putAll(filter.ruleLists());
    filter.sets().forEach((id, members) -> content.sets.put(id, new HashSet<>(members)));
    return content;
  }

  /** Follows as a reconciler would: reads only what the changes name. */
  void follow(FilterChanges changes, DesiredFilter filter) {
    changes.workloads().forEach(name -> copy(name, filter.workloads(), workloads));
    changes.hosts().forEach(name -> copy(name, filter.hosts(), hosts));
    changes.ruleLists().forEach(id -> copy(id, filter.ruleLists(), ruleLists));
    for (MemberSetId id : changes.sets()) {
      sets.remove(id);
      if (filter.sets().containsKey(id)) {
        sets.put(id, new HashSet<>(Objects.requireNonNull(filter.sets().get(id))));
      }
    }
    changes
        .members()
        .forEach(
            (id, members) -> {
              Set<SetMember> now = Objects.requireNonNull(filter.sets().get(id));
              Set<SetMember> followed = Objects.requireNonNull(sets.get(id));
              for (SetMember member : members) {
                if (now.contains(member)) {
                  followed.add(member);
                } else {
                  followed.remove(member);
                }
              }
            });
  }

  private static <K, V> void copy(K key, Map<K, V> from, Map<K, V> to) {
    to.remove(key);
    if (from.containsKey(key)) {
      to.put(key, Objects.requireNonNull(from.get(key)));
    }
  }
}
