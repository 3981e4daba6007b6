package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the schemas of Kubernetes' policies share: label selectors, and ports by name. */
final class LabelSelectorFields {
  static final Shape.Struct SELECTOR =
      new Shape.Struct(
          field("matchLabels", "Labels that must be there.", ValueRules.LABELS),
          structs(
              "matchExpressions",
              "Requirements on labels.",
              new Shape.Struct(
                      text("key", "The label.")
                          .is(new ValueLimit.Format("label name", LabelSelectorFields::name))
                          .always()
                          .require(),
                      text("operator", "What must hold.")
                          .in("In", "NotIn", "Exists", "DoesNotExist")
                          .always()
                          .require(),
                      texts("values", "The values.")
                          .is(new ValueLimit.Format("label value", LabelSelectorFields::value)))
                  .where(
                      "In and NotIn need values, the others have none.",
                      LabelSelectorFields::values)));

  /** A number is limited elsewhere. */
  static final ValueLimit PORT_OR_NAME =
      new ValueLimit.Format(
          "port or name",
          port ->
              !port.isString() || ValueRules.portName(port.stringValue())
                  ? null
                  : "must be a number, or 1–15 lower-case letters, digits and -, at least one letter, not "
                      + Quoted.brief(port.stringValue()));

  private LabelSelectorFields() {}

  private static @Nullable String name(JsonNode key) {
    return ValueRules.qualifiedName(key.stringValue());
  }

  private static @Nullable String value(JsonNode value) {
    return ValueRules.labelValue(value.stringValue());
  }

  private static void values(ObjectNode expression, String path, Problems problems) {
    String operator = expression.path("operator").asString("");
    boolean none = expression.path("values").isEmpty();
    boolean compares = operator.equals("In") || operator.equals("NotIn");
    if (compares && none) {
      problems.add(path + ".values", "must not be empty with operator " + operator);
    } else if (!compares && !none) {
      problems.add(path + ".values", "must be left out with operator " + operator);
    }
  }
}
