package io.ocicat.base.json;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import java.math.BigInteger;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields of a JSON object, read by name into Java types while everything wrong is collected:
 *
 * <pre>{@code
 * BridgeConf conf = JsonFields.read(json, in -> new BridgeConf(
 *     in.text("bridge").or("cni0"),
 *     in.bool("isGateway").or(false),
 *     in.integer("mtu", 0, 65535).or(0),
 *     in.object("ipam").prefix("subnet").required()));
 * }</pre>
 *
 * Names match exactly or else regardless of case, and null counts as absent, as in Go: what a Go
 * plugin accepts is accepted here. Not thread-safe.
 */
public final class JsonFields {
  private static final int LONGEST_PLAIN = 80;

  private final ObjectNode node;
  private final String path;
  private final Problems problems;
  private final Set<String> read = new HashSet<>();

  JsonFields(ObjectNode node, String path, Problems problems) {
    this.node = node;
    this.path = path;
    this.problems = problems;
  }

  /** The fields of a document; its problems are collected from here on. */
  public static JsonFields of(ObjectNode document) {
    return new JsonFields(document, "", new Problems());
  }

  /** The fields of an object found at {@code path} of some document. */
  public static JsonFields of(ObjectNode object, String path, Problems problems) {
    return new JsonFields(object, path, problems);
  }

  /**
   * Reads a whole document.
   *
   * @throws InvalidFieldsException naming every bad field
   */
  public static <T> T read(ObjectNode document, Function<JsonFields, T> reader) {
    JsonFields fields = of(document);
    T value;
    try {
      value = reader.apply(fields);
    } catch (RuntimeException e) {
      // A constructor refused a placeholder: the bad field is what its author needs to hear about.
      fields.problems.throwIfAny();
      throw e;
    }
    fields.problems.throwIfAny();
    return value;
  }

  public Problems problems() {
    return problems;
  }

  public String path() {
    return path;
  }

  public boolean has(String name) {
    return value(name).isPresent();
  }

  /** Records a problem with the field {@code name}; {@code message} follows its path. */
  public void problem(String name, String message) {
    problems.add(pathOf(name), message);
  }

  /** The field as it is, for lists of lists and other unusual shapes. */
  public JsonValue value(String name) {
    String key = node.has(name) ? name : otherCase(name);
    read.add(key);
    String at = pathOf(name);
    FieldAccessListener.accessed(at);
    return new JsonValue(node.get(key), at, problems);
  }

  private String otherCase(String name) {
    for (String other : node.propertyNames()) {
      if (name.equalsIgnoreCase(other)) {
        return other;
      }
    }
    return name;
  }

  private String pathOf(String name) {
    if (!isPlain(name)) {
      return path + "[" + Quoted.brief(name) + "]";
    }
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Asked for every field of every call, so without an expression. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && (c < '0' || c > '9') && c != '_' && c != '-') {
        return false;
      }
    }
    return !name.isEmpty() && name.length() <= LONGEST_PLAIN;
  }

  public JsonField<String> text(String name) {
    return value(name).text();
  }

  public JsonField<Boolean> bool(String name) {
    return value(name).bool();
  }

  public JsonField<Integer> integer(String name, int min, int max) {
    return value(name).integer(min, max);
  }

  public JsonField<Long> longInteger(String name, long min, long max) {
    return value(name).longInteger(min, max);
  }

  public JsonField<Long> unsigned32(String name) {
    return value(name).unsigned32();
  }

  public JsonField<BigInteger> unsigned64(String name) {
    return value(name).unsigned64();
  }

  /** See {@link JsonValue#ip()}. */
  public JsonField<IpAddress> ip(String name) {
    return value(name).ip();
  }

  /** See {@link JsonValue#prefix()}. */
  public JsonField<IpPrefix> prefix(String name) {
    return value(name).prefix();
  }

  public JsonField<MacAddress> mac(String name) {
    return value(name).mac();
  }

  /** See {@link JsonValue#choice}. */
  public <E> JsonField<E> choice(String name, E[] allowed, Function<E, String> nameOf) {
    return value(name).choice(allowed, nameOf);
  }

  public JsonField<List<String>> texts(String name) {
    return value(name).texts();
  }

  /** The object {@code name}; one without fields when it is absent. */
  public JsonFields object(String name) {
    return value(name).object();
  }

  /** The objects of the list {@code name}; none when it is absent. */
  public List<JsonFields> objects(String name) {
    return value(name).objects();
  }

  /** The names as they are written, in their order. */
  public Set<String> names() {
    return Collections.unmodifiableSet(new LinkedHashSet<>(node.propertyNames()));
  }

  /** Copies of the members nobody has asked for until now, in their order. */
  public Map<String, JsonNode> rest() {
    Map<String, JsonNode> rest = new LinkedHashMap<>();
    node.forEachEntry(
        (name, value) -> {
          if (!read.contains(name)) {
            rest.put(name, value.deepCopy());
          }
        });
    return Collections.unmodifiableMap(rest);
  }
}
