package io.ocicat.agent.policy;

import io.ocicat.agent.policy.model.TieredPolicy;

/** A policy that uses a selector over the endpoints of this node. */
final class PolicyEntry {
  private TieredPolicy policy;

  PolicyEntry(TieredPolicy policy) {
    this.policy = policy;
  }

  TieredPolicy policy() {
    return policy;
  }

  void setPolicy(TieredPolicy changed) {
    policy = changed;
  }
}
