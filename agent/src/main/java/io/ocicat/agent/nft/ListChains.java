package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterRule;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The chains of rule lists: see {@link PolicyTable} for their names. */
final class ListChains {
  private ListChains() {}

  /**
   * What one chain is made of.
   *
   * @param continuation the chain that a Pass rule leads to; empty where there is none, or where
   *     Pass only ends the list
   */
  record Key(RuleListId list, String tier, FilterHook hook, String continuation) {
    String name(FilterSettings settings) {
      String suffix = hook.word(settings) + continuation;
      return PolicyTable.chain(list) + (suffix.isEmpty() ? "" : "_" + NftName.hash(suffix));
    }
  }

  static RenderedChain render(
      Key key, List<FilterRule> rules, FilterSettings settings, MemberSets sets) {
    ChainId id = PolicyTable.ID.chain(key.name(settings));
    List<Rule> rendered = new ArrayList<>();
    Map<NamedSet, Set<Element>> constants = new HashMap<>();
    Set<MemberSetId> members = new HashSet<>();
    for (FilterRule rule : rules) {
      RuleMatches matches = RuleMatches.of(rule, sets);
      for (List<Clause> conditions : matches.alternatives()) {
        List<Clause> clauses = new ArrayList<>(conditions);
        clauses.addAll(action(key, rule, settings));
        rendered.add(new Rule(id, clauses, PolicyTable.comment(rule.number())));
      }
      matches.constants().forEach(set -> constants.put(set.set(), set.elements()));
      members.addAll(matches.members());
    }
    Chain chain = Chain.regular(id);
    return new RenderedChain(
        ChainContent.of(chain, rendered), rendered, constants, members, Optional.of(key.list()));
  }

  /** Denies everything, in place of rules that cannot be written. */
  static RenderedChain closed(Key key, FilterSettings settings) {
    ChainId id = PolicyTable.ID.chain(key.name(settings));
    List<Rule> rules =
        List.of(
            new Rule(
                id,
                Denial.because(
                    "by %s, whose rules cannot be written".formatted(key.list()),
                    key.hook(),
                    settings),
                ""));
    Chain chain = Chain.regular(id);
    return new RenderedChain(
        ChainContent.of(chain, rules), rules, Map.of(), Set.of(), Optional.of(key.list()));
  }

  private static List<Clause> action(Key key, FilterRule rule, FilterSettings settings) {
    List<Clause> clauses = new ArrayList<>();
    switch (rule.action()) {
      case ALLOW -> {
        clauses.add(Statement.counter());
        clauses.addAll(key.hook().allow());
      }
      case DENY ->
          clauses.addAll(
              Denial.because(
                  "by %s rule %d".formatted(key.list(), rule.number()), key.hook(), settings));
      case PASS -> {
        clauses.add(Statement.counter());
        clauses.add(
            key.continuation().isEmpty()
                ? Statement.goBack()
                : Statement.goTo(PolicyTable.ID.chain(key.continuation())));
      }
      case LOG -> {
        clauses.add(Statement.counter());
        clauses.add(Statement.log(Denial.cut(logPrefix(key, settings))));
      }
    }
    return clauses;
  }

  private static String logPrefix(Key key, FilterSettings settings) {
    String[] owner = key.list().owner().split("/", 3);
    String kind = owner[0];
    String namespace = owner.length > 2 ? owner[1] : "";
    String name = owner[owner.length - 1];
    return settings
            .logPrefix()
            .replace("%t", key.tier())
            .replace("%k", kind)
            .replace("%n", name)
            .replace("%p", namespace.isEmpty() ? name : namespace + "/" + name)
        + ": ";
  }
}
