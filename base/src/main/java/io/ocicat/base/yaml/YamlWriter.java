package io.ocicat.base.yaml;

import io.ocicat.base.json.GoWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * Writes YAML as Kubernetes' tools do: names sorted, lists not indented below their name, text
 * plain where nobody could take it for anything else, long lines not folded.
 */
public final class YamlWriter {
  /** What YAML 1.1, which other tools read, takes for a truth value, nothing or a number. */
  private static final Pattern SPECIAL =
      Pattern.compile(
          "(?i)y|n|yes|no|on|off|true|false|null|~|<<|=|\\.nan|[-+]?\\.inf"
              + "|[-+]?(0b[01_]+|0x[0-9a-f_]+|0o?[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])*(\\.[0-9_]*)?"
              + "|[0-9][0-9_]*(\\.[0-9_]*)?(e[-+]?[0-9]+)?|\\.[0-9_]+(e[-+]?[0-9]+)?)"
              + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?");

  private static final String INDENT = "  ";

  private final StringBuilder out = new StringBuilder();

  private YamlWriter() {}

  /** One document, ending with a line break. */
  public static String write(JsonNode value) {
    YamlWriter writer = new YamlWriter();
    writer.block(value, 0, "");
    return writer.out.toString();
  }

  /** A value at the start of a line; {@code lead} is already written where its first line goes. */
  private void block(JsonNode value, int depth, String lead) {
    if (value.isObject() && !value.isEmpty()) {
      String before = lead;
      Map<String, JsonNode> sorted = new TreeMap<>();
      value.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
      for (Map.Entry<String, JsonNode> entry : sorted.entrySet()) {
        out.append(before.isEmpty() ? INDENT.repeat(depth) : "");
        before = "";
        out.append(name(entry.getKey(), depth)).append(':');
        member(entry.getValue(), depth);
      }
    } else if (value.isArray() && !value.isEmpty()) {
      String before = lead;
      for (JsonNode item : value.values()) {
        out.append(before.isEmpty() ? INDENT.repeat(depth) : "").append("- ");
        before = "";
        block(item, depth + 1, "- ");
      }
    } else {
      out.append(scalar(value, depth)).append('\n');
    }
  }

  private void member(JsonNode value, int depth) {
    if (value.isContainer() && !value.isEmpty()) {
      out.append('\n');
      block(value, value.isArray() ? depth : depth + 1, "");
    } else {
      out.append(' ').append(scalar(value, depth + 1)).append('\n');
    }
  }

  /** A name is one line. */
  private static String name(String text, int depth) {
    return text.indexOf('\n') < 0 ? text(text, depth) : quoted(text);
  }

  private static String quoted(String text) {
    return GoWriter.write(StringNode.valueOf(text));
  }

  private static String scalar(JsonNode value, int depth) {
    return value.isString() ? text(value.stringValue(), depth) : GoWriter.write(value);
  }

  private static String text(String text, int depth) {
    if (text.isEmpty() || SPECIAL.matcher(text).matches()) {
      return '"' + text + '"';
    }
    boolean printable =
        text.codePoints().allMatch(c -> c == '\n' || (!Character.isISOControl(c) && c != 0xfeff));
    if (!printable) {
      return quoted(text);
    }
    if (text.indexOf('\n') >= 0) {
      return literal(text, depth);
    }
    return isPlain(text) ? text : "'" + text.replace("'", "''") + "'";
  }

  /** A first line that begins with a blank would be taken for more indentation. */
  private static String literal(String text, int depth) {
    if (text.startsWith(" ") || text.startsWith("\n")) {
      return quoted(text);
    }
    String ending = !text.endsWith("\n") ? "-" : text.endsWith("\n\n") ? "+" : "";
    String body = ending.isEmpty() ? text.substring(0, text.length() - 1) : text;
    StringBuilder lines = new StringBuilder("|").append(ending);
    for (String line : body.split("\n", -1)) {
      lines.append('\n').append(line.isEmpty() ? "" : INDENT.repeat(Math.max(depth, 1)) + line);
    }
    return ending.equals("+") ? lines.substring(0, lines.length() - 1) : lines.toString();
  }

  private static boolean isPlain(String text) {
    char first = text.charAt(0);
    boolean starts =
        ",[]{}#&*!|>'\"%@`".indexOf(first) < 0
            && !Character.isWhitespace(first)
            && !("-?:".indexOf(first) >= 0 && (text.length() == 1 || text.charAt(1) == ' '))
            && !text.startsWith("---")
            && !text.startsWith("...");
    return starts
        && !Character.isWhitespace(text.charAt(text.length() - 1))
        && !text.contains(": ")
        && !text.endsWith(":")
        && !text.contains(" #");
  }
}
