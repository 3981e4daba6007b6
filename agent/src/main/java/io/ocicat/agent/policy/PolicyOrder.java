package io.ocicat.agent.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.TierRules;
import io.ocicat.agent.policy.model.PolicyTier;
import io.ocicat.agent.policy.model.TieredPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The policies of an endpoint by tier, all in the order of their evaluation. */
public final class PolicyOrder {
  private final TreeMap<PolicyTier, List<TieredPolicy>> tiers = new TreeMap<>();

  /**
   * @param policies those that select the endpoint
   * @param tierOf finds the tier of a name
   */
  public PolicyOrder(Collection<TieredPolicy> policies, Function<String, PolicyTier> tierOf) {
    for (TieredPolicy policy : policies) {
      tiers.computeIfAbsent(tierOf.apply(policy.tier()), _ -> new ArrayList<>()).add(policy);
    }
    Comparator<TieredPolicy> order = TieredPolicy.ORDER;
    tiers.values().forEach(ofTier -> ofTier.sort(order));
  }

  /** A tier and those of its policies that apply. */
  public record Applicable(PolicyTier tier, List<TieredPolicy> policies) {}

  /** The tiers with a policy that applies in a direction. */
  public List<Applicable> applicable(PolicyDirection direction, Predicate<TieredPolicy> condition) {
    List<Applicable> applicable = new ArrayList<>();
    for (Map.Entry<PolicyTier, List<TieredPolicy>> tier : tiers.entrySet()) {
      List<TieredPolicy> policies =
          tier.getValue().stream()
              .filter(policy -> policy.types().contains(direction) && condition.test(policy))
              .toList();
      if (!policies.isEmpty()) {
        applicable.add(new Applicable(tier.getKey(), policies));
      }
    }
    return applicable;
  }

  List<TierRules> rules(PolicyDirection direction, Predicate<TieredPolicy> condition) {
    return applicable(direction, condition).stream()
        .map(one -> rules(one, direction, one.tier().passes()))
        .toList();
  }

  /** Likewise where the end of a tier decides nothing. */
  List<TierRules> openRules(PolicyDirection direction, Predicate<TieredPolicy> condition) {
    return applicable(direction, condition).stream()
        .map(one -> rules(one, direction, /* passes= */ true))
        .toList();
  }

  private static TierRules rules(Applicable one, PolicyDirection direction, boolean passes) {
    return new TierRules(
        one.tier().name(),
        one.policies().stream().map(policy -> policy.ruleList(direction)).toList(),
        passes);
  }
}
