package io.ocicat.cli.policy;

import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Policies that cannot be enforced as they are written. */
final class PolicyProblems {
  private PolicyProblems() {}

  static void print(IndentedText text, StoredPolicy policy) {
    Set<ResourceKey> policies = keys(policy);
    policy
        .snapshot()
        .problems()
        .forEach(
            (key, problem) -> {
              if (policies.contains(key)) {
                text.blank();
                text.line(0, "%s is not valid: %s".formatted(key.describe(), problem));
              }
            });
  }

  static void addTo(ObjectNode report, StoredPolicy policy) {
    Set<ResourceKey> policies = keys(policy);
    var problems = report.putArray("problems");
    policy
        .snapshot()
        .problems()
        .forEach(
            (key, problem) -> {
              if (policies.contains(key)) {
                problems.add("%s is not valid: %s".formatted(key.describe(), problem));
              }
            });
  }

  private static Set<ResourceKey> keys(StoredPolicy policy) {
    return policy.snapshot().policies().stream().map(TieredPolicy::key).collect(Collectors.toSet());
  }
}
