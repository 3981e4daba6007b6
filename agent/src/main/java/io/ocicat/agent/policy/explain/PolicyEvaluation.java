package io.ocicat.agent.policy.explain;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Evaluates the policies of an endpoint for one packet: tier by tier, then its profiles. The first
 * rule that matches decides; at the end of a tier with policies for this endpoint, the tier does.
 * What applies to an endpoint is found once. Not thread-safe.
 */
public final class PolicyEvaluation {
  private final PolicySnapshot snapshot;
  private final RuleComparison comparison;
  private final Map<Subject, ApplyingPolicies> applying = new HashMap<>();

  private record Subject(ResourceKey endpoint, PolicyDirection direction) {}

  public PolicyEvaluation(PolicySnapshot snapshot) {
    this.snapshot = snapshot;
    this.comparison = new RuleComparison(snapshot);
  }

  /** Decides about a packet that this endpoint receives or sends. */
  public DirectionVerdict evaluate(
      PolicyMember endpoint, PolicyDirection direction, FirstPacket packet) {
    ApplyingPolicies rules =
        applying.computeIfAbsent(
            new Subject(endpoint.key(), direction), _ -> snapshot.applying(endpoint, direction));
    List<EvaluationStep> steps = new ArrayList<>();
    for (ApplyingPolicies.InTier tier : rules.tiers()) {
      Optional<PolicyAction> outcome = tier(tier, direction, packet, steps);
      if (outcome.isEmpty()) {
        steps.add(new EvaluationStep.TierEnd(tier.tier()));
        if (!tier.tier().passes()) {
          return new DirectionVerdict(direction, /* allowed= */ false, steps);
        }
      } else if (outcome.get() != PolicyAction.PASS) {
        return new DirectionVerdict(direction, outcome.get() == PolicyAction.ALLOW, steps);
      }
    }
    return profiles(rules, direction, packet, steps);
  }

  private Optional<PolicyAction> tier(
      ApplyingPolicies.InTier tier,
      PolicyDirection direction,
      FirstPacket packet,
      List<EvaluationStep> steps) {
    for (TieredPolicy policy : tier.policies()) {
      RuleOwner owner = new RuleOwner(policy.key(), policy.tier());
      Optional<PolicyAction> outcome = rules(owner, policy.rules(direction), packet, steps);
      if (outcome.isPresent()) {
        return outcome;
      }
    }
    return Optional.empty();
  }

  private DirectionVerdict profiles(
      ApplyingPolicies rules,
      PolicyDirection direction,
      FirstPacket packet,
      List<EvaluationStep> steps) {
    for (ApplyingPolicies.OfProfile named : rules.profiles()) {
      if (named.profile().isEmpty()) {
        steps.add(new EvaluationStep.MissingProfile(named.name()));
        return new DirectionVerdict(direction, /* allowed= */ false, steps);
      }
      RuleOwner owner = new RuleOwner(ResourceKey.of(Kind.PROFILE, named.name()), "");
      Optional<PolicyAction> outcome =
          rules(owner, named.profile().get().rules(direction), packet, steps);
      if (outcome.isPresent() && outcome.get() != PolicyAction.PASS) {
        return new DirectionVerdict(direction, outcome.get() == PolicyAction.ALLOW, steps);
      }
    }
    steps.add(new EvaluationStep.ProfilesEnd());
    return new DirectionVerdict(direction, /* allowed= */ false, steps);
  }

  /** The action of the first rule that matches; one that only logs does not count. */
  private Optional<PolicyAction> rules(
      RuleOwner owner, List<PolicyRule> rules, FirstPacket packet, List<EvaluationStep> steps) {
    for (PolicyRule rule : rules) {
      Optional<String> mismatch = comparison.mismatch(rule, packet);
      steps.add(new EvaluationStep.Compared(owner, rule, mismatch));
      if (mismatch.isEmpty() && rule.action() != PolicyAction.LOG) {
        return Optional.of(rule.action());
      }
    }
    return Optional.empty();
  }
}
