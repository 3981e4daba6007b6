package io.ocicat.datastore.model;

import io.ocicat.datastore.json.Json;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes trees as YAML, a line for each value. */
final class BlockYaml {
  /** Of the texts that need no quotes those that certainly need none. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9]*([./-][A-Za-z0-9]+)*");

  private static final Pattern SPECIAL = Pattern.compile("(?i)true|false|null|yes|no|on|off|y|n");

  private BlockYaml() {}

  static void write(ObjectNode object, StringBuilder out) {
    write(object, "", out);
  }

  private static void write(ObjectNode object, String indent, StringBuilder out) {
    String before = "";
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      out.append(before).append(text(member.getKey())).append(':');
      value(member.getValue(), indent, out);
      before = indent;
    }
  }

  private static void value(JsonNode value, String indent, StringBuilder out) {
    switch (value) {
      case ObjectNode nested when !nested.isEmpty() -> {
        out.append('\n').append(indent).append("  ");
        write(nested, indent + "  ", out);
      }
      case ArrayNode items when !items.isEmpty() -> {
        out.append('\n');
        for (JsonNode item : items) {
          out.append(indent).append("- ");
          if (item instanceof ObjectNode nested && !nested.isEmpty()) {
            write(nested, indent + "  ", out);
          } else {
            out.append(scalar(item)).append('\n');
          }
        }
      }
      default -> out.append(' ').append(scalar(value)).append('\n');
    }
  }

  private static String scalar(JsonNode value) {
    return value.isString() ? text(value.stringValue()) : Json.compact(value);
  }

  private static String text(String text) {
    return PLAIN.matcher(text).matches() && !SPECIAL.matcher(text).matches()
        ? text
        : Json.compact(Json.array().add(text)).replaceAll("^\\[|\\]$", "");
  }
}
