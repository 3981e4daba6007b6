package io.ocicat.agent.filter;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the node's packet filter should enforce. Policy computes it, and the reconciler of the
 * kernel's table takes what changed, so that a change costs what it touches. A rule list or set
 * that something refers to and that does not exist is empty. For one thread.
 */
public final class DesiredFilter {
  private @Nullable FilterSettings settings;
  private final Map<String, WorkloadFilter> workloads = new HashMap<>();
  private final Map<String, HostFilter> hosts = new HashMap<>();
  private final Map<RuleListId, List<FilterRule>> ruleLists = new HashMap<>();
  private final Map<MemberSetId, Set<SetMember>> sets = new HashMap<>();

  private boolean settingsChanged;
  private final Set<String> changedWorkloads = new LinkedHashSet<>();
  private final Set<String> changedHosts = new LinkedHashSet<>();
  private final Set<RuleListId> changedRuleLists = new LinkedHashSet<>();
  private final Set<MemberSetId> changedSets = new LinkedHashSet<>();
  private final Map<MemberSetId, Set<SetMember>> changedMembers = new HashMap<>();

  /** Empty until policy has been computed for the first time: then nothing is enforced yet. */
  public Optional<FilterSettings> settings() {
    return Optional.ofNullable(settings);
  }

  /** By the name of their interface. */
  public Map<String, WorkloadFilter> workloads() {
    return Collections.unmodifiableMap(workloads);
  }

  /** By name. */
  public Map<String, HostFilter> hosts() {
    return Collections.unmodifiableMap(hosts);
  }

  public Map<RuleListId, List<FilterRule>> ruleLists() {
    return Collections.unmodifiableMap(ruleLists);
  }

  public Map<MemberSetId, Set<SetMember>> sets() {
    return Collections.unmodifiableMap(sets);
  }

  public void setSettings(FilterSettings wanted) {
    if (!wanted.equals(settings)) {
      settings = wanted;
      settingsChanged = true;
    }
  }

  public void setWorkload(WorkloadFilter wanted) {
    if (!wanted.equals(workloads.put(wanted.interfaceName(), wanted))) {
      changedWorkloads.add(wanted.interfaceName());
    }
  }

  public void removeWorkload(String interfaceName) {
    if (workloads.remove(interfaceName) != null) {
      changedWorkloads.add(interfaceName);
    }
  }

  public void setHost(HostFilter wanted) {
    if (!wanted.equals(hosts.put(wanted.name(), wanted))) {
      changedHosts.add(wanted.name());
    }
  }

  public void removeHost(String name) {
    if (hosts.remove(name) != null) {
      changedHosts.add(name);
    }
  }

  public void setRules(RuleListId id, List<FilterRule> rules) {
    List<FilterRule> copy = List.copyOf(rules);
    if (!copy.equals(ruleLists.put(id, copy))) {
      changedRuleLists.add(id);
    }
  }

  public void removeRules(RuleListId id) {
    if (ruleLists.remove(id) != null) {
      changedRuleLists.add(id);
    }
  }

  /** Makes a set without members, unless it exists. */
  public void addSet(MemberSetId id) {
    if (sets.putIfAbsent(id, new HashSet<>()) == null) {
      changedSets.add(id);
      changedMembers.remove(id);
    }
  }

  public void removeSet(MemberSetId id) {
    if (sets.remove(id) != null) {
      changedSets.add(id);
      changedMembers.remove(id);
    }
  }

  /** Adds a member to a set that exists. */
  public void addMember(MemberSetId id, SetMember member) {
    if (members(id).add(member)) {
      noteMember(id, member);
    }
  }

  /** Removes a member from a set that exists. */
  public void removeMember(MemberSetId id, SetMember member) {
    if (members(id).remove(member)) {
      noteMember(id, member);
    }
  }

  private Set<SetMember> members(MemberSetId id) {
    return Objects.requireNonNull(sets.get(id), () -> "no set " + id);
  }

  private void noteMember(MemberSetId id, SetMember member) {
    if (!changedSets.contains(id)) {
      changedMembers.computeIfAbsent(id, _ -> new LinkedHashSet<>()).add(member);
    }
  }

  /** What may have changed since the last call. */
  public FilterChanges takeChanges() {
    FilterChanges changes =
        new FilterChanges(
            settingsChanged,
            Set.copyOf(changedWorkloads),
            Set.copyOf(changedHosts),
            Set.copyOf(changedRuleLists),
            Set.copyOf(changedSets),
            Map.copyOf(changedMembers));
    settingsChanged = false;
    changedWorkloads.clear();
    changedHosts.clear();
    changedRuleLists.clear();
    changedSets.clear();
    changedMembers.clear();
    return changes;
  }
}
