package io.ocicat.agent.policy.explain;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;

/**
 * The policy or profile that a rule is part of.
 *
 * @param tier empty for a profile
 */
public record RuleOwner(ResourceKey key, String tier) {
  public boolean isProfile() {
    return key.kind() == Kind.PROFILE;
  }
}
