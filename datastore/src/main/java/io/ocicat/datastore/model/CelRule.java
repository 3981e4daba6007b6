package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Rules between fields as an API server checks them, in the Common Expression Language. In a rule's
 * text <code>{name}</code> stands for "the member is there and not empty", as {@link
 * FieldRule#isSet} has it, and <code>{?name}</code> for "it is there, and has items if it is a
 * list"; members of members have their path, as in <code>{?spec.asNumber}</code>. What API servers
 * of Kubernetes 1.25 do not know is not used, since those would refuse the whole definition.
 */
final class CelRule {
  private static final Pattern MEMBER = Pattern.compile("\\{(\\??)([\\w.]+)}");
  private static final Map<String, Integer> PROTOCOLS =
      Map.of("TCP", 6, "UDP", 17, "SCTP", 132, "ICMP", 1, "ICMPv6", 58);

  private CelRule() {}

  /** Adds the rules of an object to its schema. */
  static void describe(Shape.Struct struct, ObjectNode schema) {
    var rules = Json.array();
    for (FieldRule rule : struct.rules()) {
      if (rule.cel() != null) {
        rules
            .addObject()
            .put("message", rule.words().replaceFirst("\\.$", ""))
            .put("rule", expand(rule.cel(), struct));
      }
    }
    if (!rules.isEmpty()) {
      schema.set("x-kubernetes-validations", rules);
    }
  }

  /** Whether a protocol is one of these, by name or by number. */
  static String isProtocol(String field, String... names) {
    return Arrays.stream(names)
        .flatMap(
            name ->
                Stream.of(
                    "'" + name + "'",
                    "" + PROTOCOLS.get(name),
                    "'%d'".formatted(PROTOCOLS.get(name))))
        .map(value -> "self.%s == %s".formatted(field, value))
        .collect(Collectors.joining(" || ", "(has(self.%s) && (".formatted(field), "))"));
  }

  static String expand(String cel, Shape.Struct struct) {
    return MEMBER
        .matcher(cel)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    present(struct, found.group(2), !found.group(1).isEmpty())));
  }

  private static String present(Shape.Struct struct, String path, boolean evenEmpty) {
    StringBuilder guards = new StringBuilder("(");
    String at = "self";
    Shape shape = struct;
    for (String name : path.split("\\.", -1)) {
      at += "." + name;
      guards.append(guards.length() == 1 ? "" : " && ").append("has(").append(at).append(")");
      shape = member(shape, name).orElseThrow(() -> new IllegalStateException("no field " + path));
    }
    return guards + content(shape, at, evenEmpty) + ")";
  }

  private static Optional<Shape> member(Shape shape, String name) {
    return shape instanceof Shape.Struct struct
        ? struct.members().stream()
            .filter(member -> member.name().equals(name))
            .map(Shape.Member::shape)
            .findFirst()
        : Optional.empty();
  }

  /** What else must hold for what is there to count. */
  private static String content(Shape shape, String at, boolean evenEmpty) {
    return switch (shape) {
      case Shape.ListOf _, Shape.MapOf _ -> " && size(%s) > 0".formatted(at);
      case Shape.Struct struct when !evenEmpty ->
          struct.members().stream()
              .map(member -> "has(%s.%s)".formatted(at, member.name()))
              .collect(Collectors.joining(" || ", " && (", ")"));
      case Shape.Leaf leaf when !evenEmpty ->
          switch (leaf.type()) {
            case TEXT -> " && %s != ''".formatted(at);
            case FLAG -> " && " + at;
            case WHOLE, WHOLE_OR_NULL -> " && %s != 0".formatted(at);
            case NUMBER -> " && %s != 0.0".formatted(at);
            case WHOLE_OR_TEXT ->
                leaf.form() == ValueForm.AS_NUMBER ? " && %s != 0".formatted(at) : "";
          };
      case Shape.Struct _, Shape.Leaf _, Shape.Anything _ -> "";
    };
  }
}
