package io.ocicat.agent.policy;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.EndpointRules;
import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/** The rule lists that endpoints of this node use, each with the sets it refers to. */
final class RuleLists {
  private static final class Use {
    private int references;
    private List<PolicyRule> rules = List.of();
    private List<MemberSetId> sets = List.of();
  }

  private final DesiredFilter filter;
  private final MemberSets sets;
  private final Function<RuleListId, List<PolicyRule>> source;
  private final Map<RuleListId, Use> uses = new HashMap<>();

  RuleLists(DesiredFilter filter, MemberSets sets, Function<RuleListId, List<PolicyRule>> source) {
    this.filter = filter;
    this.sets = sets;
    this.source = source;
  }

  void acquire(Stream<EndpointRules> rules) {
    rules
        .flatMap(RuleLists::lists)
        .forEach(
            id -> {
              Use use = uses.get(id);
              if (use == null) {
                use = new Use();
                uses.put(id, use);
                set(id, use, source.apply(id));
              }
              use.references++;
            });
  }

  void release(Stream<EndpointRules> rules) {
    rules
        .flatMap(RuleLists::lists)
        .forEach(
            id -> {
              Use use = Objects.requireNonNull(uses.get(id));
              use.references--;
              if (use.references == 0) {
                uses.remove(id);
                filter.removeRules(id);
                use.sets.forEach(sets::release);
              }
            });
  }

  private static Stream<RuleListId> lists(EndpointRules rules) {
    return Stream.concat(
        rules.tiers().stream().flatMap(tier -> tier.policies().stream()),
        rules.profiles().stream());
  }

  /** The rules of a list may be different now. */
  void refresh(RuleListId id) {
    Use use = uses.get(id);
    if (use != null) {
      List<PolicyRule> rules = source.apply(id);
      if (!rules.equals(use.rules)) {
        set(id, use, rules);
      }
    }
  }

  /** New sets come before old ones go, so those that stay are not filled again. */
  private void set(RuleListId id, Use use, List<PolicyRule> rules) {
    List<MemberSetId> before = use.sets;
    List<MemberSetId> acquired = new ArrayList<>();
    RuleConversion conversion =
        new RuleConversion(
            source -> {
              MemberSetId set = sets.acquire(source);
              acquired.add(set);
              return set;
            });
    List<FilterRule> converted = rules.stream().map(conversion::convert).toList();
    use.rules = rules;
    use.sets = List.copyOf(acquired);
    filter.setRules(id, converted);
    before.forEach(sets::release);
  }
}
