package io.ocicat.datastore.kubernetes;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Applies the defaults in a definition's schema, as an API server does. */
final class SchemaDefaults {
  private SchemaDefaults() {}

  static void apply(ObjectNode definition, ObjectNode object) {
    apply(definition.at("/spec/versions/0/schema/openAPIV3Schema"), object);
  }

  private static void apply(JsonNode schema, JsonNode value) {
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
        JsonNode given = member.getValue().path("default");
        if (!object.has(member.getKey()) && !given.isMissingNode()) {
          object.set(member.getKey(), given.deepCopy());
        }
        apply(member.getValue(), object.path(member.getKey()));
      }
    }
    if (value.isArray()) {
      value.forEach(item -> apply(schema.path("items"), item));
    }
  }
}
