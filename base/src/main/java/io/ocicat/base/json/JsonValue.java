package io.ocicat.base.json;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Any JSON value with the path that led to it; it may be absent, and null counts as absent. Asked
 * for a type it does not have, it records a problem that names path, value and what is allowed.
 */
public final class JsonValue {
  private static final BigInteger MAX_UNSIGNED_32 =
      BigInteger.ONE.shiftLeft(32).subtract(BigInteger.ONE);
  private static final BigInteger MAX_UNSIGNED_64 =
      BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
  private static final IpAddress NO_ADDRESS = IpAddress.ofV4(0);

  private final @Nullable JsonNode node;
  private final String path;
  private final Problems problems;

  JsonValue(@Nullable JsonNode node, String path, Problems problems) {
    this.node = node == null || node.isNull() ? null : node;
    this.path = path;
    this.problems = problems;
  }

  /** A whole document, whose problems are collected from here on. */
  public static JsonValue of(JsonNode document) {
    return new JsonValue(document, "", new Problems());
  }

  public boolean isPresent() {
    return node != null;
  }

  /** Such as {@code ipam.ranges[0][1].subnet}. */
  public String path() {
    return path;
  }

  /** A copy of the value as it was written. */
  public Optional<JsonNode> raw() {
    return Optional.ofNullable(node).map(JsonNode::deepCopy);
  }

  /** Records a problem with this value; {@code message} follows the path. */
  public void problem(String message) {
    problems.add(path, message);
  }

  public JsonField<String> text() {
    return read("", n -> n.isString() ? n.stringValue() : null, "a string");
  }

  public JsonField<Boolean> bool() {
    return read(false, n -> n.isBoolean() ? n.booleanValue() : null, "true or false");
  }

  public JsonField<Integer> integer(int min, int max) {
    return whole(BigInteger.valueOf(min), BigInteger.valueOf(max)).map(BigInteger::intValue, 0);
  }

  public JsonField<Long> longInteger(long min, long max) {
    return whole(BigInteger.valueOf(min), BigInteger.valueOf(max)).map(BigInteger::longValue, 0L);
  }

  public JsonField<Long> unsigned32() {
    return whole(BigInteger.ZERO, MAX_UNSIGNED_32).map(BigInteger::longValue, 0L);
  }

  public JsonField<BigInteger> unsigned64() {
    return whole(BigInteger.ZERO, MAX_UNSIGNED_64);
  }

  private JsonField<BigInteger> whole(BigInteger min, BigInteger max) {
    return read(
        BigInteger.ZERO,
        n -> {
          BigInteger value = n.isIntegralNumber() ? n.bigIntegerValue() : null;
          return value != null && value.compareTo(min) >= 0 && value.compareTo(max) <= 0
              ? value
              : null;
        },
        "a whole number " + min + "–" + max);
  }

  /** As in Go, an empty text is an absent address and an IPv4-mapped IPv6 address is IPv4. */
  public JsonField<IpAddress> ip() {
    return unlessEmpty().map(text -> IpAddress.parse(text).unmap(), NO_ADDRESS);
  }

  /** An address with its prefix length; host bits are kept. */
  public JsonField<IpPrefix> prefix() {
    return text().map(text -> unmap(IpPrefix.parse(text)), IpPrefix.of(NO_ADDRESS, 0));
  }

  private static IpPrefix unmap(IpPrefix prefix) {
    return prefix.address().isV4Mapped() && prefix.length() >= 96
        ? IpPrefix.of(prefix.address().unmap(), prefix.length() - 96)
        : prefix;
  }

  /** An empty text is an absent address. */
  public JsonField<MacAddress> mac() {
    return unlessEmpty().map(MacAddress::parse, new MacAddress(0));
  }

  /**
   * One of {@code allowed} by its name; an empty text is an absent choice. Usually {@code
   * choice(Mode.values(), Mode::text)}.
   */
  public <E> JsonField<E> choice(E[] allowed, Function<E, String> name) {
    return unlessEmpty()
        .map(
            text ->
                Arrays.stream(allowed)
                    .filter(e -> name.apply(e).equals(text))
                    .findFirst()
                    .orElseThrow(() -> notOneOf(allowed, name, text)),
            allowed[0]);
  }

  private static <E> IllegalArgumentException notOneOf(
      E[] allowed, Function<E, String> name, String text) {
    return new IllegalArgumentException(
        Arrays.stream(allowed)
            .map(name)
            .map(Quoted::of)
            .collect(Collectors.joining(", ", "must be one of ", ", not " + Quoted.brief(text))));
  }

  private JsonField<String> unlessEmpty() {
    JsonField<String> text = text();
    return text.or("").isEmpty() && text.optional().isPresent()
        ? JsonField.absent(path, problems, "")
        : text;
  }

  /** The texts of a list; absent when the list is. */
  public JsonField<List<String>> texts() {
    List<String> texts = new ArrayList<>();
    for (JsonValue item : items()) {
      texts.add(item.text().required());
    }
    return node == null
        ? JsonField.absent(path, problems, List.of())
        : JsonField.of(path, problems, List.copyOf(texts));
  }

  /** The values of a list, with their own paths; none when the list is absent. */
  public List<JsonValue> items() {
    if (node == null) {
      return List.of();
    }
    if (!node.isArray()) {
      problems.add(path, "must be a list, not " + describe(node));
      return List.of();
    }
    List<JsonValue> items = new ArrayList<>();
    for (JsonNode item : node.values()) {
      items.add(new JsonValue(item, path + "[" + items.size() + "]", problems));
    }
    return items;
  }

  /** The objects of a list; every element must be one. */
  public List<JsonFields> objects() {
    List<JsonFields> objects = new ArrayList<>();
    for (JsonValue item : items()) {
      if (!item.isPresent()) {
        item.problem("must be an object, not null");
      }
      objects.add(item.object());
    }
    return objects;
  }

  /** The fields of an object; an object without any when it is absent. */
  public JsonFields object() {
    ObjectNode object = Json.object();
    if (node instanceof ObjectNode found) {
      object = found;
    } else if (node != null) {
      problems.add(path, "must be an object, not " + describe(node));
    }
    return new JsonFields(object, path, problems);
  }

  private <T> JsonField<T> read(
      T placeholder, Function<JsonNode, @Nullable T> conversion, String what) {
    if (node == null) {
      return JsonField.absent(path, problems, placeholder);
    }
    T value = conversion.apply(node);
    return value != null
        ? JsonField.of(path, problems, value)
        : JsonField.wrong(
            path, problems, placeholder, "must be " + what + ", not " + describe(node));
  }

  /** Scalars as they are written, the rest by kind. */
  static String describe(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "an object";
      case ARRAY -> "a list";
      case STRING -> Quoted.brief(node.stringValue());
      case NUMBER, BOOLEAN, NULL -> {
        String text = Json.compact(node);
        yield text.length() <= 40 ? text : text.substring(0, 40) + "…";
      }
      case BINARY, MISSING, POJO -> "no JSON value";
    };
  }
}
