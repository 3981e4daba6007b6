package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Kind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Every field of every kind, from the kind's own table: at a limit it is accepted, beyond it is
 * rejected, and the message names the field (review K5).
 */
class FieldLimitsTest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** For every format and pattern there is something among these that it accepts. */
  private static final List<String> GOOD =
      List.of(
          "a",
          "all()",
          "192.0.2.1",
          "fd00::1",
          "10.0.0.0/8",
          "fd00::/64",
          "02:00:00:00:00:01",
          "90s",
          "Info",
          "Insert",
          "Drop",
          "Accept",
          "Off",
          "Tunnel",
          "DoubleIfFull",
          "Loose",
          "CalicoIPAM",
          "TCP",
          "AF11",
          "a=true",
          "10/minute",
          "64512:100",
          "http",
          "1.10",
          "8080:8090",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");

  /** For every format and pattern there is something among these that it rejects. */
  private static final List<String> BAD = List.of("!?", "[", "a b/c?", "A_b!", "-");

  @TestFactory
  Stream<DynamicTest> everyField() {
    return Arrays.stream(Kind.values())
        .flatMap(kind -> TableFields.of(kind).stream())
        .map(field -> DynamicTest.dynamicTest(field.toString(), () -> check(field)));
  }

  @Test
  void nothingIsLeftOpenButWhatKubernetesLeavesOpen() {
    for (Kind kind : Kind.values()) {
      assertThat(open(Shapes.of(kind), "")).as("%s", kind).isSubsetOf("metadata.managedFields[]");
    }
  }

  /** Every field has a description in the definitions that {@code ocicat crds} prints. */
  @Test
  void everyFieldIsDescribed() {
    for (Kind kind : Kind.values()) {
      for (TableFields.Field field : TableFields.of(kind)) {
        assertThat(field.member().description()).as("%s", field).endsWith(".");
      }
    }
  }

  private static List<String> open(Shape shape, String path) {
    return switch (shape) {
      case Shape.Struct struct ->
          struct.members().stream()
              .flatMap(member -> open(member.shape(), FieldRule.at(path, member.name())).stream())
              .toList();
      case Shape.ListOf list -> open(list.item(), path + "[]");
      case Shape.Anything _ -> List.of(path);
      case Shape.MapOf _, Shape.Leaf _ -> List.of();
    };
  }

  private static void check(TableFields.Field field) {
    if (field.member().required() && field.shape().equals(field.member().shape())) {
      assertThat(field.problemWhenAbsent()).as("absent").contains("is missing");
    }
    switch (field.shape()) {
      case Shape.ListOf list -> checkList(field, list);
      case Shape.Leaf leaf -> {
        checkType(field, leaf);
        leaf.limits().forEach(limit -> checkLimit(field, leaf, limit));
      }
      default -> throw new AssertionError(field);
    }
  }

  private static void checkList(TableFields.Field field, Shape.ListOf list) {
    refuses(field, NODES.stringNode("x"), "must be a list");
    if (list.max() < Integer.MAX_VALUE) {
      assertThat(field.problem(items(list.max()))).as("%d items", list.max()).isEmpty();
      refuses(field, items(list.max() + 1), "must have at most %d items".formatted(list.max()));
    }
    if (list.min() > 0 && field.member().presence() == Shape.Presence.ALWAYS) {
      refuses(field, items(0), "must have at least %d items".formatted(list.min()));
    }
    if (list.distinct()) {
      refuses(field, Json.array().add("a").add("a"), "has a twice");
    }
  }

  private static ArrayNode items(int count) {
    ArrayNode items = Json.array();
    IntStream.range(0, count).forEach(i -> items.add("a" + i));
    return items;
  }

  private static void checkType(TableFields.Field field, Shape.Leaf leaf) {
    refuses(field, Json.object().put("a", 1), "must be ");
    switch (leaf.type()) {
      case TEXT -> refuses(field, NODES.numberNode(5), "must be a string");
      case FLAG -> refuses(field, NODES.stringNode("yes"), "must be true or false");
      case WHOLE, WHOLE_OR_NULL -> {
        refuses(field, NODES.stringNode("5"), "must be a whole number");
        refuses(field, NODES.numberNode(1.5), "must be a whole number");
      }
      case NUMBER -> refuses(field, NODES.stringNode("5"), "must be a number");
      case WHOLE_OR_TEXT -> refuses(field, NODES.booleanNode(true), "must be a whole number or");
    }
    boolean accepts = candidates(leaf).stream().anyMatch(value -> field.problem(value).isEmpty());
    assertThat(accepts).as("accepts something").isTrue();
  }

  /** Values of the right type, some of which are valid. */
  private static List<JsonNode> candidates(Shape.Leaf leaf) {
    List<JsonNode> values = new ArrayList<>();
    switch (leaf.type()) {
      case FLAG -> values.add(NODES.booleanNode(true));
      case WHOLE, WHOLE_OR_NULL, NUMBER ->
          IntStream.of(4, 0, 26).forEach(n -> values.add(NODES.numberNode(n)));
      case TEXT, WHOLE_OR_TEXT -> GOOD.forEach(text -> values.add(NODES.stringNode(text)));
    }
    for (ValueLimit limit : leaf.limits()) {
      if (limit instanceof ValueLimit.OneOf some && leaf.type() == Shape.Type.TEXT) {
        some.allowed().forEach(text -> values.add(NODES.stringNode(text)));
      }
    }
    return values;
  }

  private static void checkLimit(TableFields.Field field, Shape.Leaf leaf, ValueLimit limit) {
    switch (limit) {
      case ValueLimit.Range range -> checkRange(field, range);
      case ValueLimit.Length length -> checkLength(field, leaf, length.max());
      case ValueLimit.OneOf some -> {
        if (leaf.type() == Shape.Type.TEXT) {
          some.allowed()
              .forEach(text -> assertThat(field.problem(NODES.stringNode(text))).isEmpty());
          refuses(field, NODES.stringNode("nothing of these"), "must be one of");
        } else {
          some.allowed()
              .forEach(
                  text ->
                      assertThat(field.problem(NODES.numberNode(Integer.parseInt(text))))
                          .isEmpty());
          refuses(field, NODES.numberNode(5), "must be one of 4, 6, not 5");
        }
      }
      case ValueLimit.Matches _, ValueLimit.Format _ -> {
        boolean refuses =
            BAD.stream().anyMatch(text -> field.problem(NODES.stringNode(text)).isPresent());
        assertThat(refuses).as("refuses something").isTrue();
      }
    }
  }

  private static void checkRange(TableFields.Field field, ValueLimit.Range range) {
    assertThat(field.problem(NODES.numberNode(range.min()))).as("%d", range.min()).isEmpty();
    assertThat(field.problem(NODES.numberNode(range.max()))).as("%d", range.max()).isEmpty();
    String message = "must be %d–%d".formatted(range.min(), range.max());
    BigInteger beyond = BigInteger.valueOf(range.max()).add(BigInteger.ONE);
    BigInteger before = BigInteger.valueOf(range.min()).subtract(BigInteger.ONE);
    refuses(field, NODES.numberNode(beyond), message);
    // Zero counts as absent where Go omits it.
    if (before.signum() != 0 || field.member().presence() != Shape.Presence.UNLESS_EMPTY) {
      refuses(field, NODES.numberNode(before), message);
    }
  }

  private static void checkLength(TableFields.Field field, Shape.Leaf leaf, int max) {
    longest(leaf, max)
        .ifPresent(
            text ->
                assertThat(field.problem(NODES.stringNode(text)))
                    .as("%d characters", max)
                    .isEmpty());
    refuses(
        field,
        NODES.stringNode("a".repeat(max + 1)),
        "must have at most %d characters, not %d".formatted(max, max + 1));
  }

  /** A valid text of that length; empty where no valid text is that long. */
  private static Optional<String> longest(Shape.Leaf leaf, int length) {
    List<String> formats =
        leaf.limits().stream()
            .filter(ValueLimit.Format.class::isInstance)
            .map(limit -> ((ValueLimit.Format) limit).name())
            .toList();
    if (formats.contains("selector")) {
      return Optional.of("a == '" + "b".repeat(length - 7) + "'");
    }
    boolean addresses =
        formats.stream().anyMatch(name -> name.contains("ip") || name.contains("network"));
    boolean community = formats.contains("community");
    return addresses || community ? Optional.empty() : Optional.of("a".repeat(length));
  }

  private static void refuses(TableFields.Field field, JsonNode value, String message) {
    assertThat(field.problem(value).orElse("nothing"))
        .as("%s = %s", field, value)
        .contains(message);
  }
}
