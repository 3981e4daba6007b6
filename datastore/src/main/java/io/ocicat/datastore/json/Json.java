package io.ocicat.datastore.json;

import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes JSON trees, without an ObjectMapper because of its cost in a cold JVM. Numbers
 * keep every digit: an IPAM block's sequence numbers do not fit into a double. Of duplicate members
 * the last counts, as in Go.
 */
public final class Json {
  /** More than etcd's limit for a value. */
  private static final int MAX_LENGTH = 16 << 20;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(128)
                  .maxStringLength(MAX_LENGTH)
                  .maxDocumentLength(4L * MAX_LENGTH)
                  .build())
          .build();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  /**
   * Parses one JSON object with nothing after it.
   *
   * @throws IllegalArgumentException saying where and why it is invalid
   */
  public static ObjectNode parseObject(String text) {
    JsonNode value = parse(text);
    if (value instanceof ObjectNode object) {
      return object;
    }
    throw new IllegalArgumentException(
        "not a JSON object but a " + value.getNodeType().name().toLowerCase(Locale.ROOT));
  }

  private static JsonNode parse(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new IllegalArgumentException("not valid JSON: it is empty");
      }
      JsonNode value = read(parser, first);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("not valid JSON: there is text after the value");
      }
      return value;
    } catch (JacksonException e) {
      String where =
          e.getLocation() == null
              ? ""
              : "line %d, column %d: "
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new IllegalArgumentException("not valid JSON: " + where + SyntaxReason.of(e), e);
    }
  }

  private static JsonNode read(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> readArray(parser);
      case VALUE_STRING -> NODES.stringNode(parser.getString());
      case VALUE_NUMBER_INT -> readInteger(parser);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDecimalValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      case VALUE_NULL -> NODES.nullNode();
      case END_OBJECT, END_ARRAY, PROPERTY_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalArgumentException("not valid JSON: unexpected " + token);
    };
  }

  private static ObjectNode readObject(JsonParser parser) {
    ObjectNode object = NODES.objectNode();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      object.set(name, read(parser, parser.nextToken()));
    }
    return object;
  }

  private static ArrayNode readArray(JsonParser parser) {
    ArrayNode array = NODES.arrayNode();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      array.add(read(parser, token));
    }
    return array;
  }

  private static JsonNode readInteger(JsonParser parser) {
    return switch (parser.getNumberType()) {
      case INT -> NODES.numberNode(parser.getIntValue());
      case LONG -> NODES.numberNode(parser.getLongValue());
      case BIG_INTEGER, FLOAT, DOUBLE, BIG_DECIMAL -> NODES.numberNode(parser.getBigIntegerValue());
    };
  }

  public static ObjectNode object() {
    return NODES.objectNode();
  }

  public static ArrayNode array() {
    return NODES.arrayNode();
  }

  /** Writes one line, as Go's encoding/json does. */
  public static String compact(JsonNode node) {
    return GoWriter.write(node);
  }
}
