package io.ocicat.agent.policy.explain;

import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.PolicyTier;
import java.util.Optional;

/** A step of an evaluation; the last of them decides. */
public sealed interface EvaluationStep {
  /**
   * A rule that was compared with the packet.
   *
   * @param mismatch why it does not match; empty when it does
   */
  record Compared(RuleOwner owner, PolicyRule rule, Optional<String> mismatch)
      implements EvaluationStep {}

  /** The end of a tier whose policies apply and have not decided. */
  record TierEnd(PolicyTier tier) implements EvaluationStep {}

  /** A profile that nobody has stored: it denies everything. */
  record MissingProfile(String name) implements EvaluationStep {}

  /** The end of the profiles: what nobody allows is denied. */
  record ProfilesEnd() implements EvaluationStep {}
}
