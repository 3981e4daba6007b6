package io.ocicat.datastore.model;

import io.ocicat.base.json.Problems;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A rule between the members of an object, each valid by itself.
 *
 * @param words the rule as one sentence, for a description of the object
 * @param cel the rule for an API server, in which {@link CelRule} fills in members; null where the
 *     language cannot say it, or only at a cost that no API server grants
 */
record FieldRule(String words, @Nullable String cel, Check check) {

  /** Adds violations of the rule. */
  @FunctionalInterface
  interface Check {
    void run(ObjectNode object, String path, Problems problems);
  }

  /** At most one of the two. */
  static FieldRule notBoth(String one, String other) {
    return new FieldRule(
        "%s and %s exclude each other.".formatted(one, other),
        "!({%s} && {%s})".formatted(one, other),
        (object, path, problems) -> {
          if (isSet(object, one) && isSet(object, other)) {
            problems.add(at(path, other), "cannot be set together with " + one);
          }
        });
  }

  /** The first only together with the second. */
  static FieldRule needs(String one, String other) {
    return new FieldRule(
        "%s needs %s.".formatted(one, other),
        "!{%s} || {%s}".formatted(one, other),
        (object, path, problems) -> {
          if (isSet(object, one) && !isSet(object, other)) {
            problems.add(at(path, one), "needs %s: set both or neither".formatted(other));
          }
        });
  }

  /** At least one of them. */
  static FieldRule anyOf(String one, String other) {
    return new FieldRule(
        "%s or %s must be set.".formatted(one, other),
        "{%s} || {%s}".formatted(one, other),
        (object, path, problems) -> {
          if (!isSet(object, one) && !isSet(object, other)) {
            problems.add(path, "needs %s or %s".formatted(one, other));
          }
        });
  }

  /** {@code global()} refers to namespaces, so it is invalid in any other selector. */
  static FieldRule noGlobal(String selector) {
    return new FieldRule(
        "%s does not use global().".formatted(selector),
        "!{%1$s} || !self.%1$s.contains('global(')".formatted(selector),
        (object, path, problems) -> {
          if (object.path(selector).asString("").contains("global(")) {
            problems.add(at(path, selector), "must not use global()");
          }
        });
  }

  /** Fields that a spec may only have in the object named {@code default}. */
  static FieldRule onlyInDefault(List<String> fields) {
    return new FieldRule(
        "Only in default: %s.".formatted(String.join(", ", fields)),
        fields.stream()
            .map(field -> "{?spec.%s}".formatted(field))
            .collect(Collectors.joining(" || ", "self.metadata.name == 'default' || !(", ")")),
        (document, path, problems) -> {
          if (!isDefault(document)) {
            for (String field : fields) {
              JsonNode value = document.path("spec").path(field);
              boolean present = value.isContainer() ? !value.isEmpty() : isGiven(value);
              if (present) {
                problems.add("spec." + field, "can be set only in the one named default");
              }
            }
          }
        });
  }

  static boolean isDefault(ObjectNode document) {
    return document.at("/metadata/name").asString("").equals("default");
  }

  private static boolean isGiven(JsonNode value) {
    return !value.isMissingNode() && !value.isNull();
  }

  /** Whether a member is present and not empty; Go treats false, 0 and "" as absent. */
  static boolean isSet(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return !value.isMissingNode() && !CanonicalForm.isEmpty(value);
  }

  static String at(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
