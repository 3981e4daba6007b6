package io.ocicat.datastore.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Validates objects against the schema of their definition, as far as ours use schemas. */
final class SchemaCheck {
  private SchemaCheck() {}

  /** Returns the errors, one line each. Schemas that are not structural are errors themselves. */
  static List<String> run(ObjectNode definition, ObjectNode object) {
    List<String> problems = new ArrayList<>();
    check(definition.at("/spec/versions/0/schema/openAPIV3Schema"), object, "", problems);
    return problems;
  }

  private static void check(JsonNode schema, JsonNode value, String path, List<String> problems) {
    if (value.isNull() && schema.path("nullable").asBoolean(false)) {
      return;
    }
    boolean anything = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false);
    if (schema.path("x-kubernetes-int-or-string").asBoolean(false)) {
      expect(value.isIntegralNumber() || value.isString(), "int or string", value, path, problems);
      return;
    }
    switch (schema.path("type").asString("")) {
      case "object" -> {
        expect(value.isObject(), "object", value, path, problems);
        members(schema, value, path, problems);
      }
      case "array" -> {
        expect(value.isArray(), "array", value, path, problems);
        value.forEach(item -> check(schema.path("items"), item, path + "[]", problems));
      }
      case "string" -> expect(value.isString(), "string", value, path, problems);
      case "boolean" -> expect(value.isBoolean(), "boolean", value, path, problems);
      case "integer" -> expect(value.isIntegralNumber(), "integer", value, path, problems);
      case "number" -> expect(value.isNumber(), "number", value, path, problems);
      default -> {
        if (!anything) {
          problems.add(path + " has a schema that is not structural");
        }
      }
    }
  }

  private static void members(JsonNode schema, JsonNode value, String path, List<String> problems) {
    JsonNode additional = schema.path("additionalProperties");
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      String at = path + "." + member.getKey();
      JsonNode known = schema.path("properties").path(member.getKey());
      if (!known.isMissingNode()) {
        check(known, member.getValue(), at, problems);
      } else if (!additional.isMissingNode()) {
        check(additional, member.getValue(), at, problems);
      } else if (!schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)
          && !path.equals(".metadata")) {
        problems.add(at + " would be pruned");
      }
    }
    for (JsonNode required : schema.path("required")) {
      if (!value.has(required.stringValue())) {
        problems.add(path + "." + required.stringValue() + " is required");
      }
    }
  }

  private static void expect(
      boolean holds, String type, JsonNode value, String path, List<String> problems) {
    if (!holds) {
      problems.add("%s must be of type %s: %s".formatted(path, type, value));
    }
  }
}
