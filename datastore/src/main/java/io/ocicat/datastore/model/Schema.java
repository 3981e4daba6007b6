package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shapes as the structural schemas of custom resource definitions: types, limits, defaults and
 * descriptions. Members that nobody knows are kept, since newer versions of Calico have some. Rules
 * between fields are there in words, and as {@link CelRule} where the API server can check them.
 */
final class Schema {
  private static final String KEEP_UNKNOWN = "x-kubernetes-preserve-unknown-fields";

  private Schema() {}

  /** The schema of a member, with its description. */
  static ObjectNode of(Shape.Member member) {
    ObjectNode schema = of(member.shape());
    String words =
        member.shape() instanceof Shape.Struct struct
            ? struct.rules().stream()
                .map(FieldRule::words)
                .collect(Collectors.joining(" ", member.description() + " ", ""))
                .strip()
            : member.description();
    if (!words.isEmpty()) {
      schema.put("description", words);
    }
    if (member.initial() != null) {
      schema.set("default", member.initial());
    }
    if (member.presence() == Shape.Presence.OR_NULL) {
      schema.put("nullable", true);
    }
    return schema;
  }

  private static ObjectNode of(Shape shape) {
    return switch (shape) {
      case Shape.Struct struct -> struct(struct);
      case Shape.ListOf list -> list(list);
      case Shape.MapOf map -> {
        ObjectNode schema = type("object");
        schema.set("additionalProperties", of(map.values()));
        yield schema;
      }
      case Shape.Leaf leaf -> leaf(leaf);
      case Shape.Anything _ -> Json.object().put(KEEP_UNKNOWN, true);
    };
  }

  private static ObjectNode list(Shape.ListOf list) {
    ObjectNode schema = type("array");
    if (list.min() > 0) {
      schema.put("minItems", list.min());
    }
    if (list.max() < Integer.MAX_VALUE) {
      schema.put("maxItems", list.max());
    }
    if (list.distinct()) {
      schema.put("x-kubernetes-list-type", "set");
    }
    schema.set("items", of(list.item()));
    return schema;
  }

  private static ObjectNode leaf(Shape.Leaf leaf) {
    ObjectNode schema =
        switch (leaf.type()) {
          case TEXT -> type("string");
          case FLAG -> type("boolean");
          case WHOLE -> type("integer").put("format", "int64");
          case WHOLE_OR_NULL -> type("integer").put("nullable", true);
          case NUMBER -> type("number");
          case WHOLE_OR_TEXT ->
              // It is stored as a number, however it was written.
              leaf.form() == ValueForm.AS_NUMBER
                  ? type("integer").put("format", "int64")
                  : Json.object().put("x-kubernetes-int-or-string", true);
        };
    if (!schema.has("x-kubernetes-int-or-string")) {
      leaf.limits().forEach(limit -> limit.describe(schema));
    }
    return schema;
  }

  private static ObjectNode struct(Shape.Struct struct) {
    ObjectNode schema = type("object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = Json.array();
    for (Shape.Member member : struct.members()) {
      properties.set(member.name(), of(member));
      if (member.required()) {
        required.add(member.name());
      }
    }
    if (properties.isEmpty()) {
      schema.remove("properties");
    }
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    CelRule.describe(struct, schema);
    return schema.put(KEEP_UNKNOWN, true);
  }

  private static ObjectNode type(String type) {
    return Json.object().put("type", type);
  }
}
