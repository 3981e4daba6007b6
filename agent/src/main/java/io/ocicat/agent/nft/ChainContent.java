package io.ocicat.agent.nft;

import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rule;
import java.util.List;

/** What a chain is compared by: equal for what we write and for what the kernel then reports. */
public record ChainContent(Chain chain, List<RuleContent> rules) {
  public ChainContent {
    rules = List.copyOf(rules);
  }

  /** A rule without what it has counted. */
  public record RuleContent(List<Expression> expressions, String comment) {
    public RuleContent {
      expressions = Expression.withoutCounts(expressions);
    }

    public static RuleContent of(InstalledRule rule) {
      return new RuleContent(rule.expressions(), rule.comment());
    }
  }

  /**
   * The content of a chain to be written.
   *
   * @throws IllegalArgumentException when clauses of a rule contradict each other
   */
  static ChainContent of(Chain chain, List<Rule> rules) {
    return new ChainContent(
        chain,
        rules.stream().map(rule -> new RuleContent(rule.expressions(), rule.comment())).toList());
  }
}
