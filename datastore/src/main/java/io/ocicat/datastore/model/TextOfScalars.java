package io.ocicat.datastore.model;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts numbers and booleans to text where a shape has text, as sigs.k8s.io/yaml does. Values
 * with a form of their own (durations, ports, AS numbers) stay: their forms read them.
 */
final class TextOfScalars {
  private TextOfScalars() {}

  static void apply(Shape.Struct shape, ObjectNode object) {
    for (Shape.Member member : shape.members()) {
      JsonNode value = object.get(member.name());
      if (value != null) {
        object.set(member.name(), of(member.shape(), value));
      }
    }
  }

  private static JsonNode of(Shape shape, JsonNode value) {
    switch (shape) {
      case Shape.Struct struct when value instanceof ObjectNode object -> apply(struct, object);
      case Shape.ListOf list when value instanceof ArrayNode items -> {
        for (int i = 0; i < items.size(); i++) {
          items.set(i, of(list.item(), items.get(i)));
        }
      }
      case Shape.MapOf map when value instanceof ObjectNode object -> {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
          entry.setValue(of(map.values(), entry.getValue()));
        }
      }
      case Shape.Leaf leaf
          when leaf.type() == Shape.Type.TEXT
              && leaf.form() == ValueForm.PLAIN
              && (value.isNumber() || value.isBoolean()) -> {
        return JsonNodeFactory.instance.stringNode(text(value));
      }
      case Shape.Struct _, Shape.ListOf _, Shape.MapOf _, Shape.Leaf _, Shape.Anything _ -> {}
    }
    return value;
  }

  private static String text(JsonNode value) {
    if (value.isIntegralNumber() || value.isBoolean()) {
      return value.asString();
    }
    String text = Float.toString(value.floatValue());
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
