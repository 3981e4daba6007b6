package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts a tree to the form that Calico writes: members in the order of Go's structs, empty ones
 * omitted where Go does, maps sorted. Members that the shape does not know follow at the end, as
 * they are. A tree in this form is not changed.
 */
final class CanonicalForm {
  private static final Comparator<String> BY_CODE_POINTS = CanonicalForm::compare;

  private CanonicalForm() {}

  /** Go sorts by bytes; for UTF-8 that is by code points, which UTF-16 is not. */
  private static int compare(String a, String b) {
    int differs = 0;
    int shorter = Math.min(a.length(), b.length());
    while (differs < shorter && a.charAt(differs) == b.charAt(differs)) {
      differs++;
    }
    if (differs == shorter) {
      return Integer.compare(a.length(), b.length());
    }
    char left = a.charAt(differs);
    char right = b.charAt(differs);
    // A surrogate stands for a character that sorts after all that need no pair.
    return Character.isSurrogate(left) == Character.isSurrogate(right)
        ? Character.compare(left, right)
        : Boolean.compare(Character.isSurrogate(left), Character.isSurrogate(right));
  }

  static ObjectNode of(Shape.Struct shape, ObjectNode object) {
    ObjectNode out = Json.object();
    Set<String> known = new HashSet<>();
    for (Shape.Member member : shape.members()) {
      known.add(member.name());
      JsonNode value = object.get(member.name());
      JsonNode written = value == null || value.isNull() ? zero(member) : of(member.shape(), value);
      if (isWritten(member, value, written)) {
        out.set(member.name(), written);
      }
    }
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (!known.contains(member.getKey())) {
        out.set(member.getKey(), member.getValue().deepCopy());
      }
    }
    return out;
  }

  private static boolean isWritten(
      Shape.Member member, @Nullable JsonNode value, JsonNode written) {
    return switch (member.presence()) {
      case ALWAYS, OR_NULL -> true;
      case IF_PRESENT -> value != null && !value.isNull();
      case UNLESS_EMPTY -> !isEmpty(written);
    };
  }

  private static JsonNode of(Shape shape, JsonNode value) {
    return switch (shape) {
      case Shape.Struct struct when value instanceof ObjectNode object -> of(struct, object);
      case Shape.ListOf list when value instanceof ArrayNode items -> {
        ArrayNode out = Json.array();
        items.values().forEach(item -> out.add(of(list.item(), item)));
        yield out;
      }
      case Shape.MapOf _ when value instanceof ObjectNode object -> {
        Map<String, JsonNode> sorted = new TreeMap<>(BY_CODE_POINTS);
        object.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        ObjectNode out = Json.object();
        out.setAll(sorted);
        yield out;
      }
      case Shape.Leaf leaf -> leaf.form().normalOrSame(value).deepCopy();
      case Shape.Struct _, Shape.ListOf _, Shape.MapOf _, Shape.Anything _ -> value.deepCopy();
    };
  }

  private static JsonNode zero(Shape.Member member) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (member.presence() == Shape.Presence.OR_NULL) {
      return nodes.nullNode();
    }
    return switch (member.shape()) {
      case Shape.Struct struct ->
          member.presence() == Shape.Presence.ALWAYS ? of(struct, Json.object()) : nodes.nullNode();
      case Shape.ListOf _ -> Json.array();
      case Shape.MapOf _ -> Json.object();
      case Shape.Anything _ -> nodes.nullNode();
      case Shape.Leaf leaf ->
          switch (leaf.type()) {
            case TEXT, WHOLE_OR_TEXT -> nodes.stringNode("");
            case FLAG -> nodes.booleanNode(false);
            case WHOLE, WHOLE_OR_NULL, NUMBER -> nodes.numberNode(0);
          };
    };
  }

  /** Whether Go's omitempty omits the value. */
  static boolean isEmpty(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.stringValue().isEmpty();
      case BOOLEAN -> !value.booleanValue();
      case NUMBER -> value.decimalValue().signum() == 0;
      case ARRAY, OBJECT -> value.isEmpty();
      case NULL -> true;
      case BINARY, MISSING, POJO -> false;
    };
  }
}
