package io.ocicat.agent.policy;

import io.ocicat.agent.policy.model.PolicyMember;

/** An endpoint of this node, told apart from its earlier states. */
final class LocalItem {
  private final PolicyMember endpoint;

  LocalItem(PolicyMember endpoint) {
    this.endpoint = endpoint;
  }

  PolicyMember endpoint() {
    return endpoint;
  }
}
