package io.ocicat.datastore.model;

import io.ocicat.datastore.json.Json;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shapes as the structural schemas of custom resource definitions. They tell types and what must be
 * there; members that nobody knows are kept, since newer versions of Calico have some.
 */
final class Schema {
  private static final String KEEP_UNKNOWN = "x-kubernetes-preserve-unknown-fields";

  private Schema() {}

  static ObjectNode of(Shape shape) {
    return switch (shape) {
      case Shape.Struct struct -> struct(struct);
      case Shape.ListOf list -> {
        ObjectNode schema = type("array");
        schema.set("items", of(list.item()));
        yield schema;
      }
      case Shape.MapOf map -> {
        ObjectNode schema = type("object");
        schema.set("additionalProperties", of(map.values()));
        yield schema;
      }
      case Shape.Leaf leaf ->
          switch (leaf.type()) {
            case TEXT -> type("string");
            case FLAG -> type("boolean");
            case WHOLE -> type("integer").put("format", "int64");
            case NUMBER -> type("number");
            case WHOLE_OR_TEXT -> Json.object().put("x-kubernetes-int-or-string", true);
          };
      case Shape.Anything _ -> Json.object().put(KEEP_UNKNOWN, true);
    };
  }

  private static ObjectNode struct(Shape.Struct struct) {
    ObjectNode schema = type("object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = Json.array();
    for (Shape.Member member : struct.members()) {
      properties.set(member.name(), of(member.shape()));
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
    return schema.put(KEEP_UNKNOWN, true);
  }

  private static ObjectNode type(String type) {
    return Json.object().put("type", type);
  }
}
