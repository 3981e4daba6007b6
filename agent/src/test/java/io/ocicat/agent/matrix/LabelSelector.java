package io.ocicat.agent.matrix;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A label selector of Kubernetes; an empty one selects everything. */
record LabelSelector(JsonNode selector) {
  boolean matches(Map<String, String> labels) {
    boolean[] all = {true};
    selector
        .path("matchLabels")
        .forEachEntry((label, value) -> all[0] &= value.asString("").equals(labels.get(label)));
    return all[0]
        && selector.path("matchExpressions").values().stream()
            .allMatch(expression -> holds(expression, labels));
  }

  private static boolean holds(JsonNode expression, Map<String, String> labels) {
    String label = expression.path("key").asString("");
    List<String> values = Texts.list(expression.path("values"));
    String found = labels.get(label);
    return switch (expression.path("operator").asString("")) {
      case "In" -> found != null && values.contains(found);
      case "NotIn" -> found == null || !values.contains(found);
      case "Exists" -> found != null;
      case "DoesNotExist" -> found == null;
      default -> throw new IllegalArgumentException("operator of " + expression);
    };
  }
}
