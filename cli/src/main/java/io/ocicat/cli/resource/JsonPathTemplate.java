package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * kubectl's {@code -o jsonpath=…}: text with paths in braces, literals in quotes and loops, as in
 * {@code {range .items[*]}{.metadata.name}{"\n"}{end}}.
 */
final class JsonPathTemplate {
  private final List<Part> parts;

  private JsonPathTemplate(List<Part> parts) {
    this.parts = List.copyOf(parts);
  }

  private sealed interface Part {
    /** Printed as it is. */
    record Text(String text) implements Part {}

    /** What a path finds. */
    record Found(JsonPath path) implements Part {}

    /** Its parts, once for each that a path finds. */
    record Range(JsonPath path, List<Part> parts) implements Part {}
  }

  String render(JsonNode document) {
    StringBuilder out = new StringBuilder();
    render(parts, document, out);
    return out.toString();
  }

  private static void render(List<Part> parts, JsonNode document, StringBuilder out) {
    for (Part part : parts) {
      switch (part) {
        case Part.Text text -> out.append(text.text());
        case Part.Found found -> out.append(found.path().text(document));
        case Part.Range range ->
            range.path().find(document).forEach(item -> render(range.parts(), item, out));
      }
    }
  }

  /**
   * Parses a template; one without braces is a path.
   *
   * @throws UsageException when it is not valid
   */
  static JsonPathTemplate parse(String text) {
    if (text.indexOf('{') < 0) {
      return new JsonPathTemplate(List.of(new Part.Found(JsonPath.parse(text))));
    }
    Deque<List<Part>> open = new ArrayDeque<>();
    Deque<JsonPath> ranges = new ArrayDeque<>();
    open.push(new ArrayList<>());
    int at = 0;
    while (at < text.length()) {
      int brace = text.indexOf('{', at);
      if (brace < 0) {
        open.getFirst().add(new Part.Text(text.substring(at)));
        break;
      }
      if (brace > at) {
        open.getFirst().add(new Part.Text(text.substring(at, brace)));
      }
      int end = closing(text, brace);
      expression(text, text.substring(brace + 1, end).strip(), open, ranges);
      at = end + 1;
    }
    if (open.size() != 1) {
      throw wrong(text, "a range has no {end}");
    }
    return new JsonPathTemplate(open.pop());
  }

  private static void expression(
      String text, String expression, Deque<List<Part>> open, Deque<JsonPath> ranges) {
    if (expression.startsWith("range ")) {
      ranges.push(JsonPath.parse(expression.substring(6).strip()));
      open.push(new ArrayList<>());
    } else if (expression.equals("end")) {
      if (ranges.isEmpty()) {
        throw wrong(text, "there is an {end} without a range");
      }
      List<Part> inner = open.pop();
      open.getFirst().add(new Part.Range(ranges.pop(), inner));
    } else if (expression.startsWith("\"") || expression.startsWith("'")) {
      String inside = expression.substring(1, Math.max(1, expression.length() - 1));
      open.getFirst().add(new Part.Text(inside.translateEscapes()));
    } else {
      open.getFirst().add(new Part.Found(JsonPath.parse(expression)));
    }
  }

  private static int closing(String text, int from) {
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '}') {
        return i;
      }
    }
    throw wrong(text, "a brace is not closed");
  }

  private static UsageException wrong(String text, String why) {
    return new UsageException(
        "%s is not a jsonpath template: %s".formatted(Quoted.brief(text), why));
  }
}
