package io.ocicat.datastore.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * As much of the Common Expression Language as our definitions use, to evaluate their rules without
 * an API server. What it does not know is an error. For one thread.
 */
final class Cel {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*('(?:[^'])*'|\\d+\\.\\d+|\\d+|\\w+|&&|\\|\\||==|!=|<=|>=|[-+!?:<>()\\[\\],.])");

  private final List<String> tokens = new ArrayList<>();
  private final Map<String, Object> variables = new HashMap<>();
  private int at;

  private Cel(String rule, JsonNode self) {
    Matcher token = TOKEN.matcher(rule);
    int end = 0;
    while (token.lookingAt()) {
      tokens.add(token.group(1));
      end = token.end();
      token.region(end, rule.length());
    }
    if (end != rule.strip().length()) {
      throw new IllegalArgumentException("not understood: " + rule.substring(end));
    }
    variables.put("self", self);
  }

  /** Whether a rule holds of an object. */
  static boolean holds(String rule, JsonNode self) {
    Cel cel = new Cel(rule, self);
    boolean result = truth(cel.choice());
    if (cel.at < cel.tokens.size()) {
      throw new IllegalArgumentException(
          "too much: " + cel.tokens.subList(cel.at, cel.tokens.size()));
    }
    return result;
  }

  private boolean accept(String token) {
    boolean there = at < tokens.size() && tokens.get(at).equals(token);
    at += there ? 1 : 0;
    return there;
  }

  private void expect(String token) {
    if (!accept(token)) {
      throw new IllegalArgumentException(
          "no %s at %s".formatted(token, tokens.subList(at, tokens.size())));
    }
  }

  /** What is not needed is read and not evaluated, so that has() guards what follows. */
  private Object unless(boolean decided, Object known, Supplier<Object> term) {
    if (!decided) {
      return term.get();
    }
    Map<String, Object> kept = new HashMap<>(variables);
    skipping++;
    var _ = term.get();
    skipping--;
    variables.clear();
    variables.putAll(kept);
    return known;
  }

  private int skipping;

  private Object choice() {
    Object condition = either();
    if (!accept("?")) {
      return condition;
    }
    boolean first = skipping == 0 && truth(condition);
    Object one = unless(skipping > 0 || !first, false, this::choice);
    expect(":");
    Object other = unless(skipping > 0 || first, false, this::choice);
    return first ? one : other;
  }

  private Object either() {
    Object left = both();
    while (accept("||")) {
      boolean so = skipping > 0 || truth(left);
      left = unless(so, true, this::both);
    }
    return left;
  }

  private Object both() {
    Object left = comparison();
    while (accept("&&")) {
      boolean not = skipping > 0 || !truth(left);
      left = unless(not, false, this::comparison);
    }
    return left;
  }

  private Object comparison() {
    Object left = sum();
    for (String operator : List.of("==", "!=", "<=", ">=", "<", ">", "in")) {
      if (accept(operator)) {
        Object right = sum();
        if (skipping > 0) {
          return false;
        }
        return switch (operator) {
          case "==" -> same(left, right);
          case "!=" -> !same(left, right);
          case "<=" -> number(left) <= number(right);
          case ">=" -> number(left) >= number(right);
          case "<" -> number(left) < number(right);
          case ">" -> number(left) > number(right);
          default -> items(right).stream().anyMatch(item -> same(item, left));
        };
      }
    }
    return left;
  }

  private Object sum() {
    Object left = unary();
    while (at < tokens.size() && (tokens.get(at).equals("+") || tokens.get(at).equals("-"))) {
      int sign = tokens.get(at++).equals("+") ? 1 : -1;
      Object right = unary();
      left = skipping > 0 ? 0d : (Object) (number(left) + sign * number(right));
    }
    return left;
  }

  private Object unary() {
    if (accept("!")) {
      Object value = unary();
      return skipping > 0 || !truth(value);
    }
    Object value = primary();
    while (true) {
      if (accept(".")) {
        value = member(value, tokens.get(at++));
      } else if (accept("[")) {
        Object index = choice();
        expect("]");
        value = skipping > 0 ? value : items(value).get((int) number(index));
      } else {
        return value;
      }
    }
  }

  private Object primary() {
    if (accept("(")) {
      Object value = choice();
      expect(")");
      return value;
    }
    if (accept("[")) {
      List<Object> list = new ArrayList<>();
      while (!accept("]")) {
        list.add(choice());
        accept(",");
      }
      return list;
    }
    String token = tokens.get(at++);
    if (token.startsWith("'")) {
      return token.substring(1, token.length() - 1);
    }
    if (Character.isDigit(token.charAt(0))) {
      return Double.parseDouble(token);
    }
    if (accept("(")) {
      return function(token);
    }
    return token.equals("string") ? "string" : Objects.requireNonNull(variables.get(token), token);
  }

  private Object function(String name) {
    if (name.equals("has")) {
      // Of a chain only the last member may be missing.
      missingAllowed++;
      Object value = choice();
      missingAllowed--;
      expect(")");
      return skipping == 0 && !(value instanceof Missing);
    }
    Object argument = choice();
    expect(")");
    if (skipping > 0) {
      return false;
    }
    return switch (name) {
      case "size" -> (double) items(argument).size();
      case "int" -> Double.parseDouble(text(argument));
      case "type" -> isText(argument) ? "string" : "other";
      default -> throw new IllegalArgumentException("no function " + name);
    };
  }

  private record Missing() {}

  private int missingAllowed;

  private Object member(Object value, String name) {
    if (accept("(")) {
      return method(value, name);
    }
    if (skipping > 0) {
      return value;
    }
    String field = name.equals("__namespace__") ? "namespace" : name;
    JsonNode found = value instanceof JsonNode node ? node.get(field) : null;
    if (found == null && missingAllowed == 0) {
      throw new IllegalStateException("no such key: " + field);
    }
    return found == null ? new Missing() : found;
  }

  private Object method(Object value, String name) {
    switch (name) {
      case "all", "exists", "filter", "map" -> {
        return loop(value, name);
      }
      case "size", "sum" -> {
        expect(")");
        return skipping > 0
            ? 0d
            : name.equals("size")
                ? (Object) (double) items(value).size()
                : (Object) items(value).stream().mapToDouble(Cel::number).sum();
      }
      default -> {}
    }
    Object argument = choice();
    expect(")");
    if (skipping > 0) {
      return false;
    }
    String text = text(value);
    return switch (name) {
      case "contains" -> text.contains(text(argument));
      case "startsWith" -> text.startsWith(text(argument));
      case "matches" -> Pattern.compile(text(argument)).matcher(text).find();
      case "split" -> List.<Object>of((Object[]) text.split(Pattern.quote(text(argument)), -1));
      default -> throw new IllegalArgumentException("no method " + name);
    };
  }

  private Object loop(Object value, String name) {
    String variable = tokens.get(at++);
    expect(",");
    int body = at;
    List<Object> kept = new ArrayList<>();
    List<Boolean> truths = new ArrayList<>();
    List<Object> items = skipping > 0 ? List.of() : items(value);
    for (Object item : items) {
      at = body;
      variables.put(variable, item);
      Object result = choice();
      if (name.equals("map")) {
        kept.add(result);
      } else {
        truths.add(truth(result));
        if (truth(result)) {
          kept.add(item);
        }
      }
    }
    if (items.isEmpty()) {
      variables.put(variable, "");
      unless(true, false, this::choice);
    }
    expect(")");
    return switch (name) {
      case "all" -> !truths.contains(false);
      case "exists" -> truths.contains(true);
      default -> kept;
    };
  }

  private static boolean truth(Object value) {
    return value instanceof JsonNode node ? node.booleanValue() : (Boolean) value;
  }

  private static double number(Object value) {
    return value instanceof JsonNode node ? node.doubleValue() : (Double) value;
  }

  private static boolean isText(Object value) {
    return value instanceof String || (value instanceof JsonNode node && node.isString());
  }

  private static String text(Object value) {
    return value instanceof JsonNode node ? node.stringValue() : (String) value;
  }

  private static List<Object> items(Object value) {
    if (value instanceof JsonNode node) {
      return node.isObject()
          ? new ArrayList<>(node.propertyNames())
          : new ArrayList<>(node.valueStream().toList());
    }
    @SuppressWarnings("unchecked") // lists are made here only
    List<Object> list = (List<Object>) value;
    return list;
  }

  private static boolean same(@Nullable Object one, @Nullable Object other) {
    return Objects.equals(plain(one), plain(other));
  }

  private static @Nullable Object plain(@Nullable Object value) {
    return value instanceof JsonNode node
        ? node.isNumber()
            ? node.doubleValue()
            : node.isBoolean() ? node.booleanValue() : node.asString("")
        : value;
  }
}
