package io.ocicat.agent.policy.model;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Reads Kubernetes' label selectors as terms of Calico's language. */
final class LabelSelectors {
  private LabelSelectors() {}

  /** What selects pods by their own labels; everything when there are no terms. */
  static List<Selector> ofPods(StrictFields selector) {
    return terms(selector, "");
  }

  /** What selects pods by the labels of their namespace. */
  static List<Selector> ofNamespaces(StrictFields selector) {
    List<Selector> terms = terms(selector, PolicyLabels.OF_NAMESPACE);
    return terms.isEmpty() ? List.of(new Selector.Has(PolicyLabels.NAMESPACE)) : terms;
  }

  private static List<Selector> terms(StrictFields selector, String prefix) {
    List<Selector> terms = new ArrayList<>();
    for (Map.Entry<String, String> label :
        new TreeMap<>(selector.textMap("matchLabels")).entrySet()) {
      terms.add(
          new Selector.Compare(
              prefix + label.getKey(), Selector.Comparison.EQUAL, label.getValue()));
    }
    for (JsonNode item : selector.items("matchExpressions")) {
      StrictFields expression = StrictFields.of(item, selector.path("matchExpressions"));
      String label = prefix + expression.text("key");
      TreeSet<String> values = new TreeSet<>(expression.texts("values"));
      terms.add(
          switch (expression.text("operator")) {
            case "In" -> new Selector.In(label, values);
            case "NotIn" -> new Selector.NotIn(label, values);
            case "Exists" -> new Selector.Has(label);
            case "DoesNotExist" -> new Selector.Not(new Selector.Has(label));
            default ->
                throw new IllegalArgumentException(
                    "%s must be In, NotIn, Exists or DoesNotExist, not %s"
                        .formatted(
                            expression.path("operator"),
                            Quoted.brief(expression.text("operator"))));
          });
    }
    return terms;
  }
}
