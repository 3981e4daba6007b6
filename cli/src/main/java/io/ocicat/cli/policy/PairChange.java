package io.ocicat.cli.policy;

import io.ocicat.agent.policy.explain.DirectionVerdict;
import io.ocicat.base.json.Json;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What changes between two pods.
 *
 * @param flows those that change, as described by {@link TriedFlows}
 * @param allowed whether they are allowed afterwards
 * @param decisive what decides afterwards
 */
record PairChange(
    String from,
    String to,
    List<String> flows,
    boolean allowed,
    Optional<DirectionVerdict> decisive) {
  PairChange {
    flows = List.copyOf(flows);
  }

  void print(IndentedText text) {
    text.line(
        0,
        "%s → %s: %s instead of %s%s"
            .formatted(
                from,
                to,
                FlowText.verdict(allowed),
                FlowText.verdict(!allowed),
                decisive.map(it -> ", by " + StepText.decidedBy(it)).orElse("")));
    text.line(1, String.join(", ", flows));
  }

  ObjectNode json() {
    ObjectNode json = Json.object().put("from", from).put("to", to);
    json.set("flows", Json.array(flows));
    json.put("before", allowed ? "deny" : "allow").put("after", allowed ? "allow" : "deny");
    decisive.ifPresent(
        verdict -> {
          json.put("direction", StepText.direction(verdict.direction()));
          json.set("decidedBy", StepText.json(verdict).get("decidedBy"));
        });
    return json;
  }
}
