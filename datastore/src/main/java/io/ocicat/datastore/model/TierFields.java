package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.text;

import io.ocicat.base.json.Problems;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schema of Tier: a group of policies that are evaluated together, in the order of the tiers.
 */
final class TierFields {
  private static final int DEFAULT_ORDER = 1_000_000;

  private record Fixed(int order, String action) {}

  private static final Map<String, Fixed> BUILT_IN =
      Map.of(
          "default", new Fixed(DEFAULT_ORDER, "Deny"),
          "kube-admin", new Fixed(1_000, "Pass"),
          "kube-baseline", new Fixed(10_000_000, "Pass"));

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          field(
                  "order",
                  "The order of the tier; lower ones come first.",
                  new Shape.Leaf(Shape.Type.NUMBER))
              .ifPresent(),
          text("defaultAction", "The action on packets that no policy of the tier matches.")
              .in("Deny", "Pass")
              .initially("Deny")
              .ifPresent());

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
              field("spec", "Policies that are asked together.", SPEC).always(),
              field("status", "What holds of the tier.", MetadataShape.CONDITIONS).always())
          .where(
              "Built-in tiers keep order and action.",
              BUILT_IN.entrySet().stream()
                  .sorted(Map.Entry.comparingByKey())
                  .map(tier -> cel(tier.getKey(), tier.getValue()))
                  .collect(Collectors.joining(" && ")),
              TierFields::builtIn);

  private TierFields() {}

  /** The built-in tiers, which cannot be deleted. */
  static Set<String> builtIn() {
    return BUILT_IN.keySet();
  }

  /** A tier without an order has that of the default one, which is right there only. */
  private static String cel(String name, Fixed fixed) {
    String order = "has(self.spec.order) && self.spec.order == %d.0".formatted(fixed.order());
    if (fixed.order() == DEFAULT_ORDER) {
      order = "(!has(self.spec.order) || %s)".formatted(order);
    }
    return """
        (self.metadata.name != '%s' || (has(self.spec) && %s \
        && has(self.spec.defaultAction) && self.spec.defaultAction == '%s'))"""
        .formatted(name, order, fixed.action());
  }

  /** A tier without an order comes where the default one is. */
  static void complete(ObjectNode spec) {
    if (!spec.has("order") || spec.path("order").isNull()) {
      spec.put("order", DEFAULT_ORDER);
    }
  }

  private static void builtIn(ObjectNode tier, String path, Problems problems) {
    String name = tier.at("/metadata/name").asString("");
    Fixed fixed = BUILT_IN.get(name);
    if (fixed == null) {
      return;
    }
    JsonNode order = tier.path("spec").path("order");
    if (!order.isNumber() || order.doubleValue() != fixed.order()) {
      problems.add("spec.order", "must be %d in tier %s".formatted(fixed.order(), name));
    }
    if (!tier.path("spec").path("defaultAction").asString("").equals(fixed.action())) {
      problems.add("spec.defaultAction", "must be %s in tier %s".formatted(fixed.action(), name));
    }
  }
}
