package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.policy.explain.ApplyingPolicies;
import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.TieredPolicy;
import io.ocicat.base.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What applies to an endpoint in one direction, for people and as JSON. */
final class ApplyingText {
  private final PolicyDirection direction;
  private final RuleCounters counters;

  ApplyingText(PolicyDirection direction, RuleCounters counters) {
    this.direction = direction;
    this.counters = counters;
  }

  void print(ApplyingPolicies applying, IndentedText text) {
    for (ApplyingPolicies.InTier tier : applying.tiers()) {
      text.line(
          1,
          "tier %s%s; what it does not decide %s"
              .formatted(
                  tier.tier().name(),
                  order(tier.tier().order()),
                  tier.tier().passes() ? "goes on" : "is denied"));
      for (TieredPolicy policy : tier.policies()) {
        text.line(2, policy.key().describe() + order(policy.order()));
        rules(policy.ruleList(direction), policy.rules(direction), 3, text);
      }
    }
    boolean decided = applying.tiers().stream().anyMatch(tier -> !tier.tier().passes());
    for (ApplyingPolicies.OfProfile named : applying.profiles()) {
      text.line(
          1,
          "Profile %s%s"
              .formatted(
                  named.name(),
                  named.profile().isEmpty()
                      ? ", which does not exist: it denies"
                      : decided ? ", for what a rule passes" : ""));
      named
          .profile()
          .ifPresent(
              profile ->
                  rules(
                      PolicyProfile.ruleList(named.name(), direction),
                      profile.rules(direction),
                      2,
                      text));
    }
    if (!decided) {
      text.line(1, "everything else is denied");
    }
  }

  private static String order(double order) {
    return Double.isInfinite(order) ? "" : ", order " + number(order);
  }

  private static String number(double order) {
    return order == Math.rint(order) && Math.abs(order) < 1e15
        ? Long.toString((long) order)
        : Double.toString(order);
  }

  private void rules(RuleListId list, List<PolicyRule> rules, int depth, IndentedText text) {
    Set<Integer> counted = new HashSet<>();
    for (PolicyRule rule : rules) {
      String count =
          counted.add(rule.number())
              ? counters
                  .of(list, rule.number())
                  .map(it -> " — %d packets, %d bytes".formatted(it.packets(), it.bytes()))
                  .orElse("")
              : "";
      text.line(
          depth, "%s %s%s".formatted(StepText.place(direction, rule), RuleText.of(rule), count));
    }
    if (rules.isEmpty()) {
      text.line(depth, "no rules");
    }
  }

  ObjectNode json(ApplyingPolicies applying) {
    ObjectNode json = Json.object();
    ArrayNode tiers = json.putArray("tiers");
    for (ApplyingPolicies.InTier tier : applying.tiers()) {
      ObjectNode one = tiers.addObject().put("tier", tier.tier().name());
      put(one, tier.tier().order());
      one.put("defaultAction", tier.tier().passes() ? "Pass" : "Deny");
      ArrayNode policies = one.putArray("policies");
      for (TieredPolicy policy : tier.policies()) {
        ObjectNode shown = policies.addObject().put("kind", policy.key().kind().text());
        if (!policy.namespace().isEmpty()) {
          shown.put("namespace", policy.namespace());
        }
        shown.put("name", policy.key().name());
        put(shown, policy.order());
        shown.set("rules", json(policy.ruleList(direction), policy.rules(direction)));
      }
    }
    ArrayNode profiles = json.putArray("profiles");
    for (ApplyingPolicies.OfProfile named : applying.profiles()) {
      ObjectNode shown =
          profiles.addObject().put("name", named.name()).put("missing", named.profile().isEmpty());
      named
          .profile()
          .ifPresent(
              profile ->
                  shown.set(
                      "rules",
                      json(
                          PolicyProfile.ruleList(named.name(), direction),
                          profile.rules(direction))));
    }
    return json;
  }

  private static void put(ObjectNode json, double order) {
    if (!Double.isInfinite(order)) {
      json.put("order", order);
    }
  }

  private ArrayNode json(RuleListId list, List<PolicyRule> rules) {
    ArrayNode json = Json.array();
    for (PolicyRule rule : rules) {
      ObjectNode one =
          json.addObject()
              .put("rule", rule.number())
              .put("action", RuleText.action(rule.action()))
              .put("text", RuleText.of(rule));
      Optional<RuleCounters.Count> count = counters.of(list, rule.number());
      count.ifPresent(it -> one.put("packets", it.packets()).put("bytes", it.bytes()));
    }
    return json;
  }
}
