package io.ocicat.agent.policy.explain;

import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.PolicyTier;
import io.ocicat.agent.policy.model.TieredPolicy;
import java.util.List;
import java.util.Optional;

/**
 * What applies to one endpoint in one direction, in the order in which it is evaluated.
 *
 * @param tiers those that have a policy for it
 */
public record ApplyingPolicies(List<InTier> tiers, List<OfProfile> profiles) {
  /** The policies of a tier. */
  public record InTier(PolicyTier tier, List<TieredPolicy> policies) {
    public InTier {
      policies = List.copyOf(policies);
    }
  }

  /**
   * A profile that an endpoint names.
   *
   * @param profile empty when it does not exist
   */
  public record OfProfile(String name, Optional<PolicyProfile> profile) {}

  public ApplyingPolicies {
    tiers = List.copyOf(tiers);
    profiles = List.copyOf(profiles);
  }
}
