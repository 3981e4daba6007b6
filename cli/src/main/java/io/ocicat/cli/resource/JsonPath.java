package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.json.StoredJson;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A path into a document in kubectl's syntax: {@code .spec.cidr}, {@code ['a.b']}, {@code [0]},
 * {@code [-1]}, {@code [1:3]}, {@code [*]}, {@code ..name} and {@code [?(@.kind=="Node")]}. What
 * does not exist yields nothing.
 */
final class JsonPath {
  private static final Pattern NAME = Pattern.compile("\\.?([A-Za-z0-9_/-]+|\\\\.)+");
  private static final Pattern FILTER =
      Pattern.compile("@?([^=!<>]*?)\\s*(?:(==|!=|<=|>=|<|>)\\s*(.+))?");

  private final List<Step> steps;

  private JsonPath(List<Step> steps) {
    this.steps = List.copyOf(steps);
  }

  /** From one value to those one step further. */
  @FunctionalInterface
  private interface Step {
    void apply(JsonNode from, List<JsonNode> to);
  }

  List<JsonNode> find(JsonNode document) {
    List<JsonNode> found = List.of(document);
    for (Step step : steps) {
      List<JsonNode> next = new ArrayList<>();
      found.forEach(value -> step.apply(value, next));
      found = next;
    }
    return found;
  }

  /** All values found, as text, separated by blanks. */
  String text(JsonNode document) {
    return String.join(" ", find(document).stream().map(JsonPath::plain).toList());
  }

  private static String plain(JsonNode value) {
    return value.isString() ? value.stringValue() : value.isNull() ? "" : StoredJson.compact(value);
  }

  /**
   * Parses a path, with or without the leading {@code $} or dot.
   *
   * @throws UsageException when it is not valid
   */
  static JsonPath parse(String path) {
    List<Step> steps = new ArrayList<>();
    String rest = path.startsWith("$") || path.startsWith("@") ? path.substring(1) : path;
    while (!rest.isEmpty() && !rest.equals(".")) {
      if (rest.startsWith("..")) {
        steps.add(JsonPath::descend);
        rest = rest.substring(rest.startsWith("..[") ? 2 : 1);
      } else if (rest.startsWith("[")) {
        int end = closing(path, rest);
        steps.add(bracket(path, rest.substring(1, end).strip()));
        rest = rest.substring(end + 1);
      } else if (rest.startsWith(".*") || rest.startsWith("*")) {
        steps.add((from, to) -> to.addAll(children(from)));
        rest = rest.substring(rest.indexOf('*') + 1);
      } else {
        Matcher name = NAME.matcher(rest);
        if (!name.lookingAt()) {
          throw wrong(path, "\"%s\" is no step".formatted(rest));
        }
        String member = name.group().replaceFirst("^\\.", "").replaceAll("\\\\(.)", "$1");
        steps.add(member(member));
        rest = rest.substring(name.end());
      }
    }
    return new JsonPath(steps);
  }

  private static UsageException wrong(String path, String why) {
    return new UsageException(message(path, why));
  }

  private static UsageException wrong(String path, String why, RuntimeException cause) {
    return new UsageException(message(path, why), cause);
  }

  private static String message(String path, String why) {
    return "%s is not a path: %s; write as in .spec.cidr".formatted(Quoted.brief(path), why);
  }

  /** Where the bracket that {@code rest} begins with is closed; quotes may hold others. */
  private static int closing(String path, String rest) {
    int depth = 0;
    char quote = 0;
    for (int i = 0; i < rest.length(); i++) {
      char c = rest.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[') {
        depth++;
      } else if (c == ']' && --depth == 0) {
        return i;
      }
    }
    throw wrong(path, "a bracket is not closed");
  }

  private static Step member(String name) {
    return (from, to) -> {
      JsonNode value = from.path(name);
      if (!value.isMissingNode()) {
        to.add(value);
      }
    };
  }

  private static List<JsonNode> children(JsonNode value) {
    return List.copyOf(value.values());
  }

  private static void descend(JsonNode from, List<JsonNode> to) {
    to.add(from);
    children(from).forEach(child -> descend(child, to));
  }

  private static Step bracket(String path, String inside) {
    if (inside.equals("*")) {
      return (from, to) -> to.addAll(children(from));
    }
    if (inside.startsWith("?(") && inside.endsWith(")")) {
      Predicate<JsonNode> filter = filter(path, inside.substring(2, inside.length() - 1).strip());
      return (from, to) -> children(from).stream().filter(filter).forEach(to::add);
    }
    if (isQuoted(inside)) {
      return member(inside.substring(1, inside.length() - 1));
    }
    try {
      if (!inside.contains(":")) {
        int index = Integer.parseInt(inside);
        return (from, to) -> {
          int at = index < 0 ? from.size() + index : index;
          if (from.isArray() && at >= 0 && at < from.size()) {
            to.add(from.get(at));
          }
        };
      }
      String[] bounds = inside.split(":", -1);
      int first = bounds[0].isEmpty() ? 0 : Integer.parseInt(bounds[0]);
      int last = bounds[1].isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(bounds[1]);
      return (from, to) -> {
        List<JsonNode> items = children(from);
        int start = Math.clamp(first < 0 ? items.size() + first : first, 0, items.size());
        int end = Math.clamp(last < 0 ? items.size() + last : last, start, items.size());
        to.addAll(items.subList(start, end));
      };
    } catch (NumberFormatException e) {
      throw wrong(path, "[%s] is neither a name, a number nor a filter".formatted(inside), e);
    }
  }

  private static boolean isQuoted(String text) {
    return text.length() >= 2
        && (text.charAt(0) == '\'' || text.charAt(0) == '"')
        && text.charAt(text.length() - 1) == text.charAt(0);
  }

  private static Predicate<JsonNode> filter(String path, String expression) {
    Matcher matcher = FILTER.matcher(expression);
    if (!matcher.matches()) {
      throw wrong(path, "%s is no filter".formatted(Quoted.brief(expression)));
    }
    JsonPath left = parse(matcher.group(1));
    String operator = matcher.group(2);
    if (operator == null) {
      return value -> !left.find(value).isEmpty();
    }
    String right = matcher.group(3).strip();
    String wanted = isQuoted(right) ? right.substring(1, right.length() - 1) : right;
    return value ->
        left.find(value).stream().anyMatch(found -> holds(plain(found), operator, wanted));
  }

  private static boolean holds(String found, String operator, String wanted) {
    int order = compare(found, wanted);
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  private static int compare(String left, String right) {
    try {
      return new BigDecimal(left).compareTo(new BigDecimal(right));
    } catch (NumberFormatException _) {
      return left.compareTo(right);
    }
  }
}
