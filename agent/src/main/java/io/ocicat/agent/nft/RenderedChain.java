package io.ocicat.agent.nft;

import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A chain with its rules and what they refer to.
 *
 * @param constants sets that contain what the rules' text lists
 * @param members the member sets that the rules look into
 * @param origin the rule list in the chain; empty for chains of the filter itself
 */
public record RenderedChain(
    ChainContent content,
    List<Rule> rules,
    Map<NamedSet, Set<Element>> constants,
    Set<MemberSetId> members,
    Optional<RuleListId> origin) {
  public RenderedChain {
    rules = List.copyOf(rules);
    constants = Map.copyOf(constants);
    members = Set.copyOf(members);
  }

  static RenderedChain of(Chain chain, List<Rule> rules, Map<NamedSet, Set<Element>> constants) {
    return new RenderedChain(
        ChainContent.of(chain, rules), rules, constants, Set.of(), Optional.empty());
  }

  public String name() {
    return content.chain().id().name();
  }
}
