package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.SetMember;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set in use. Several items may have one member, for instance two network sets the same network:
 * it stays until the last of them is gone. Most members have one item, so only others are counted.
 */
final class MemberSet {
  private final MemberSource source;
  private final MemberSetId id;
  private final DesiredFilter filter;
  private final Set<SetMember> members;
  private final Map<SetMember, Integer> further = new HashMap<>();
  private int references;
  private @Nullable SelectorUsers<ClusterItem, MemberSet> selector;

  MemberSet(MemberSource source, MemberSetId id, DesiredFilter filter) {
    this.source = source;
    this.id = id;
    this.filter = filter;
    filter.addSet(id);
    this.members = Objects.requireNonNull(filter.sets().get(id));
  }

  MemberSource source() {
    return source;
  }

  MemberSetId id() {
    return id;
  }

  @Nullable SelectorUsers<ClusterItem, MemberSet> selector() {
    return selector;
  }

  void setSelector(SelectorUsers<ClusterItem, MemberSet> users) {
    selector = users;
  }

  void refer() {
    references++;
  }

  /** Returns whether nothing refers to it any more. */
  boolean unrefer() {
    references--;
    return references == 0;
  }

  void add(SetMember member) {
    if (members.contains(member)) {
      further.merge(member, 1, Integer::sum);
    } else {
      filter.addMember(id, member);
    }
  }

  void remove(SetMember member) {
    if (further.containsKey(member)) {
      further.computeIfPresent(member, (_, count) -> count == 1 ? null : count - 1);
    } else {
      filter.removeMember(id, member);
    }
  }
}
