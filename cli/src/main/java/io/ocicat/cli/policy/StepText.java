package io.ocicat.cli.policy;

import io.ocicat.agent.filter.PolicyDirection;
import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.explain.EvaluationStep;
import io.ocicat.agent.policy.explain.RuleOwner;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.base.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** Steps of an evaluation in words and as JSON. */
final class StepText {
  private StepText() {}

  static String direction(PolicyDirection direction) {
    return direction == PolicyDirection.INGRESS ? "ingress" : "egress";
  }

  /** The place of a rule in its resource: {@code ingress[0]}. */
  static String place(PolicyDirection direction, PolicyRule rule) {
    return "%s[%d]".formatted(direction(direction), rule.number());
  }

  /** Completes <i>allowed by …</i> and <i>denied by …</i>. */
  static String decidedBy(DirectionVerdict verdict) {
    return switch (verdict.decisive()) {
      case EvaluationStep.Compared(RuleOwner owner, PolicyRule rule, _) ->
          "%s, %s%s"
              .formatted(
                  owner.key().describe(),
                  place(verdict.direction(), rule),
                  owner.isProfile() ? "" : ", in tier " + owner.tier());
      case EvaluationStep.TierEnd end ->
          "the end of tier %s, which has policies for it, none of which allows this"
              .formatted(end.tier().name());
      case EvaluationStep.MissingProfile missing ->
          "Profile %s, which does not exist".formatted(missing.name());
      case EvaluationStep.ProfilesEnd _ -> "the end of its profiles, none of which allows this";
    };
  }

  static ObjectNode json(DirectionVerdict verdict) {
    ObjectNode json = Json.object().put("verdict", verdict.allowed() ? "allow" : "deny");
    json.set("decidedBy", json(verdict.direction(), verdict.decisive()));
    var steps = json.putArray("steps");
    verdict.steps().forEach(step -> steps.add(json(verdict.direction(), step)));
    return json;
  }

  private static ObjectNode json(PolicyDirection direction, EvaluationStep step) {
    ObjectNode json = Json.object();
    switch (step) {
      case EvaluationStep.Compared(RuleOwner owner, PolicyRule rule, var mismatch) -> {
        if (!owner.isProfile()) {
          json.put("tier", owner.tier());
        }
        json.put("kind", owner.key().kind().text());
        if (!owner.key().namespace().isEmpty()) {
          json.put("namespace", owner.key().namespace());
        }
        json.put("name", owner.key().name())
            .put("rule", rule.number())
            .put("direction", direction(direction))
            .put("action", RuleText.action(rule.action()))
            .put("matches", mismatch.isEmpty());
        mismatch.ifPresent(why -> json.put("why", why));
      }
      case EvaluationStep.TierEnd end ->
          json.put("tier", end.tier().name())
              .put("endOfTier", true)
              .put("action", end.tier().passes() ? "Pass" : "Deny");
      case EvaluationStep.MissingProfile missing ->
          json.put("kind", "Profile")
              .put("name", missing.name())
              .put("missing", true)
              .put("action", "Deny");
      case EvaluationStep.ProfilesEnd _ -> json.put("endOfProfiles", true).put("action", "Deny");
    }
    return json;
  }
}
