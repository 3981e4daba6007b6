package io.ocicat.cli.policy;

import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.agent.policy.explain.EvaluationStep;
import io.ocicat.agent.policy.explain.RuleOwner;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.base.json.Json;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A verdict for people, and as JSON. */
final class FlowText {
  private final IndentedText text;

  FlowText(IndentedText text) {
    this.text = text;
  }

  static String verdict(boolean allowed) {
    return allowed ? "allowed" : "denied";
  }

  void print(FlowVerdict flow) {
    text.line(
        0,
        "%s → %s, %s: %s"
            .formatted(
                flow.from().describe(flow.packet().source()),
                flow.to().describe(flow.packet().destination()),
                flow.port(),
                verdict(flow.isAllowed())));
    flow.egress().ifPresent(verdict -> direction(flow.from().name(), verdict));
    flow.ingress().ifPresent(verdict -> direction(flow.to().name(), verdict));
    flow.ownNode()
        .ifPresent(
            node -> {
              text.blank();
              text.line(
                  0,
                  "%s runs on %s: a node always reaches its own pods"
                      .formatted(flow.to().name(), node));
            });
    if (flow.egress().isEmpty() && flow.ingress().isEmpty() && flow.ownNode().isEmpty()) {
      text.blank();
      text.line(0, "neither is a pod of this cluster: no policy of pods applies");
    }
  }

  private void direction(String pod, DirectionVerdict verdict) {
    text.blank();
    text.line(
        0,
        "%s of %s: %s by %s"
            .formatted(
                StepText.direction(verdict.direction()),
                pod,
                verdict(verdict.allowed()),
                StepText.decidedBy(verdict)));
    String tier = "";
    Optional<RuleOwner> before = Optional.empty();
    for (EvaluationStep step : verdict.steps()) {
      switch (step) {
        case EvaluationStep.Compared(RuleOwner owner, PolicyRule rule, var mismatch) -> {
          if (!owner.isProfile() && !owner.tier().equals(tier)) {
            tier = owner.tier();
            text.line(1, "tier " + tier);
          }
          if (!before.equals(Optional.of(owner))) {
            text.line(owner.isProfile() ? 1 : 2, owner.key().describe());
            before = Optional.of(owner);
          }
          text.line(
              owner.isProfile() ? 2 : 3,
              "%s %s: %s"
                  .formatted(
                      StepText.place(verdict.direction(), rule),
                      RuleText.action(rule.action()),
                      mismatch.orElse("matches")));
        }
        case EvaluationStep.TierEnd end -> {
          if (!end.tier().name().equals(tier)) {
            tier = end.tier().name();
            text.line(1, "tier " + tier);
          }
          text.line(
              2,
              end.tier().passes()
                  ? "end of the tier: what it does not decide goes on"
                  : "end of the tier: what it does not allow is denied");
        }
        case EvaluationStep.MissingProfile missing ->
            text.line(1, "Profile %s does not exist: it denies".formatted(missing.name()));
        case EvaluationStep.ProfilesEnd _ ->
            text.line(1, "end of the profiles: what none of them allows is denied");
      }
    }
  }

  static ObjectNode json(FlowVerdict flow) {
    ObjectNode json = Json.object().put("verdict", flow.isAllowed() ? "allow" : "deny");
    json.putObject("from")
        .put("name", flow.from().name())
        .put("address", flow.packet().source().toString());
    json.putObject("to")
        .put("name", flow.to().name())
        .put("address", flow.packet().destination().toString());
    json.put("flow", flow.port().toString());
    flow.egress().ifPresent(verdict -> json.set("egress", StepText.json(verdict)));
    flow.ingress().ifPresent(verdict -> json.set("ingress", StepText.json(verdict)));
    flow.ownNode().ifPresent(node -> json.put("ownNode", node));
    return json;
  }
}
