package io.ocicat.agent.filter;

import java.util.Map;
import java.util.Set;

/**
 * What may be different in a {@link DesiredFilter} since it was asked last: names of what was set
 * or removed, whose present state is read from the filter itself.
 *
 * @param members of sets that exist before and after
 */
public record FilterChanges(
    boolean settings,
    Set<String> workloads,
    Set<String> hosts,
    Set<RuleListId> ruleLists,
    Set<MemberSetId> sets,
    Map<MemberSetId, Set<SetMember>> members) {
  public boolean isEmpty() {
    return !settings
        && workloads.isEmpty()
        && hosts.isEmpty()
        && ruleLists.isEmpty()
        && sets.isEmpty()
        && members.isEmpty();
  }
}
