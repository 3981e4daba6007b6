package io.ocicat.agent.filter;

import java.util.List;

/**
 * The policies of one tier that apply to an endpoint in one direction, in their order.
 *
 * @param passes whether a packet that no rule decides goes on to the next tier; otherwise it is
 *     dropped
 */
public record TierRules(String tier, List<RuleListId> policies, boolean passes) {
  public TierRules {
    policies = List.copyOf(policies);
  }
}
