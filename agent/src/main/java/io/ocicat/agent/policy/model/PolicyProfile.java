package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import java.util.List;
import java.util.Map;

/**
 * A profile: labels and rules of all endpoints that name it.
 *
 * @param labels what endpoints inherit, unless they have the label themselves
 */
public record PolicyProfile(
    String name, Map<String, String> labels, List<PolicyRule> ingress, List<PolicyRule> egress) {
  public PolicyProfile {
    labels = Map.copyOf(labels);
    ingress = List.copyOf(ingress);
    egress = List.copyOf(egress);
  }

  /** Stands for a profile that does not exist: what nobody has defined allows nothing. */
  public static PolicyProfile closed(String name) {
    List<PolicyRule> deny = List.of(PolicyRule.all(0, PolicyAction.DENY));
    return new PolicyProfile(name, Map.of(), deny, deny);
  }

  public List<PolicyRule> rules(PolicyDirection direction) {
    return direction == PolicyDirection.INGRESS ? ingress : egress;
  }

  public static RuleListId ruleList(String name, PolicyDirection direction) {
    return new RuleListId("pro//" + name, direction);
  }
}
