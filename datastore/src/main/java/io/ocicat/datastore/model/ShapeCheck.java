package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.json.StoredJson;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks a tree against its shape and collects all errors. */
final class ShapeCheck {
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_-]{1,80}");

  private final Problems problems;

  private ShapeCheck(Problems problems) {
    this.problems = problems;
  }

  /** A path in the tree; converted to text only when needed. */
  private record Location(@Nullable Location parent, String name, int index) {
    static final Location ROOT = new Location(null, "", -1);

    Location member(String member) {
      return new Location(this, member, -1);
    }

    Location item(int item) {
      return new Location(this, "", item);
    }

    @Override
    public String toString() {
      if (parent == null) {
        return "";
      }
      return index < 0 ? join(parent.toString(), name) : parent + "[" + index + "]";
    }
  }

  static void run(Shape.Struct shape, ObjectNode object, Problems problems) {
    new ShapeCheck(problems).struct(shape, object, Location.ROOT);
  }

  /** Returns the paths of members that the shape does not know. */
  static List<String> unknown(Shape.Struct shape, ObjectNode object, String path) {
    List<String> unknown = new ArrayList<>();
    collectUnknown(shape, object, path, unknown);
    return List.copyOf(unknown);
  }

  private void value(Shape shape, JsonNode value, Location path) {
    switch (shape) {
      case Shape.Struct struct -> {
        if (value instanceof ObjectNode object) {
          struct(struct, object, path);
        } else {
          wrongType(path, "an object", value);
        }
      }
      case Shape.ListOf list -> {
        if (value instanceof ArrayNode items) {
          list(list, items, path);
        } else {
          wrongType(path, "a list", value);
        }
      }
      case Shape.MapOf map -> {
        if (value instanceof ObjectNode object) {
          map(map, object, path);
        } else {
          wrongType(path, "an object", value);
        }
      }
      case Shape.Leaf leaf -> leaf(leaf, value, path);
      case Shape.Anything _ -> {}
    }
  }

  private void struct(Shape.Struct shape, ObjectNode object, Location path) {
    int before = problems.count();
    for (Shape.Member member : shape.members()) {
      JsonNode value = object.get(member.name());
      Location memberPath = path.member(member.name());
      if (value != null && !value.isNull() && !isEffectivelyAbsent(member, value)) {
        value(member.shape(), value, memberPath);
      } else if (member.required()) {
        problems.add(memberPath.toString(), "is missing");
      }
    }
    if (!shape.rules().isEmpty() && problems.count() == before) {
      shape.rules().forEach(rule -> rule.check().run(object, path.toString(), problems));
    }
  }

  private void list(Shape.ListOf list, ArrayNode items, Location path) {
    if (items.size() > list.max()) {
      problems.add(
          path.toString(),
          "must have at most %d items, not %d".formatted(list.max(), items.size()));
    } else if (items.size() < list.min()) {
      problems.add(
          path.toString(),
          "must have at least %d items, not %d".formatted(list.min(), items.size()));
    }
    Set<JsonNode> seen = new HashSet<>();
    for (int i = 0; i < items.size(); i++) {
      value(list.item(), items.get(i), path.item(i));
      if (list.distinct() && !seen.add(items.get(i))) {
        problems.add(path.toString(), "has %s twice".formatted(items.get(i).asString("")));
      }
    }
  }

  /** Go treats an empty text, list or number as absent, except for pointers. */
  private static boolean isEffectivelyAbsent(Shape.Member member, JsonNode value) {
    return switch (member.presence()) {
      case IF_PRESENT -> false;
      case ALWAYS, OR_NULL -> value.isString() && value.stringValue().isEmpty();
      case UNLESS_EMPTY ->
          CanonicalForm.isEmpty(value)
              && switch (member.shape()) {
                case Shape.Leaf leaf -> fits(leaf, value);
                case Shape.ListOf _ -> value.isArray();
                case Shape.MapOf _ -> value.isObject();
                case Shape.Struct _, Shape.Anything _ -> false;
              };
    };
  }

  private void map(Shape.MapOf map, ObjectNode object, Location path) {
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      Location entryPath = path.member(entry.getKey());
      leaf(map.values(), entry.getValue(), entryPath);
      String problem = map.names().problem(entry.getKey());
      if (problem != null) {
        problems.add(entryPath.toString(), problem);
      }
    }
  }

  private void leaf(Shape.Leaf leaf, JsonNode value, Location path) {
    if (!fits(leaf, value)) {
      wrongType(path, leaf.type().description(), value);
      return;
    }
    String problem = problem(leaf, value);
    if (problem != null) {
      problems.add(path.toString(), problem);
    }
  }

  private static boolean fits(Shape.Leaf leaf, JsonNode value) {
    return switch (leaf.type()) {
      case TEXT -> value.isString();
      case FLAG -> value.isBoolean();
      case WHOLE -> value.isIntegralNumber();
      case WHOLE_OR_NULL -> value.isIntegralNumber() || value.isNull();
      case NUMBER -> value.isNumber();
      case WHOLE_OR_TEXT -> value.isIntegralNumber() || value.isString();
    };
  }

  private static @Nullable String problem(Shape.Leaf leaf, JsonNode value) {
    JsonNode normal;
    try {
      normal = leaf.form().normal(value);
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    for (ValueLimit limit : leaf.limits()) {
      String problem = limit.problem(normal);
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  private void wrongType(Location path, String wanted, JsonNode value) {
    problems.add(path.toString(), "must be " + wanted + ", not " + describe(value));
  }

  private static String describe(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> "an object";
      case ARRAY -> "a list";
      case STRING -> Quoted.brief(value.stringValue());
      case NUMBER, BOOLEAN, NULL -> {
        String text = StoredJson.compact(value);
        yield text.length() <= 40 ? text : text.substring(0, 40) + "…";
      }
      case BINARY, MISSING, POJO -> "no JSON value";
    };
  }

  private static String join(String path, String name) {
    if (!PLAIN_NAME.matcher(name).matches()) {
      return path + "[" + Quoted.brief(name) + "]";
    }
    return path.isEmpty() ? name : path + "." + name;
  }

  private static void collectUnknown(
      Shape shape, JsonNode value, String path, List<String> unknown) {
    switch (shape) {
      case Shape.Struct struct -> {
        Set<String> known = new HashSet<>();
        for (Shape.Member member : struct.members()) {
          known.add(member.name());
          collectUnknown(
              member.shape(), value.path(member.name()), join(path, member.name()), unknown);
        }
        value.propertyNames().stream()
            .filter(name -> !known.contains(name))
            .forEach(name -> unknown.add(join(path, name)));
      }
      case Shape.ListOf list -> {
        for (int i = 0; i < value.size() && value.isArray(); i++) {
          collectUnknown(list.item(), value.get(i), path + "[" + i + "]", unknown);
        }
      }
      case Shape.MapOf _, Shape.Leaf _, Shape.Anything _ -> {}
    }
  }
}
