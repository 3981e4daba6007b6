package io.ocicat.base.json;

import io.ocicat.base.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads JSON trees: one value and nothing after it, no comments, bounded in size and depth.
 * Integers and decimals keep every digit. As in Go, bytes that are not UTF-8 become U+FFFD.
 * Thread-safe.
 *
 * <p>The trees are Jackson's, but no ObjectMapper builds them: its class loading costs a one-shot
 * plugin more time than everything else it does.
 */
public final class JsonReader {
  public static final int MAX_DEPTH = 128;
  public static final long ANY_NUMBER_OF_TOKENS = -1;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final JsonFactory factory;
  private final int maxLength;
  private final DuplicateKeys duplicates;

  /** What to do with an object that has two members of one name. */
  public enum DuplicateKeys {
    REFUSED,
    /** As in Go. */
    LAST_COUNTS
  }

  /**
   * @param maxLength the longest text that is read, in bytes or characters
   * @param maxTokens each may become an object of its own, of ten times the memory: four megabytes
   *     of {@code {},{}} would fill the heap of a daemon
   */
  public JsonReader(int maxLength, long maxTokens, DuplicateKeys duplicates) {
    this.maxLength = maxLength;
    this.duplicates = duplicates;
    this.factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(maxLength)
                    .maxTokenCount(maxTokens)
                    .build())
            .build();
  }

  /**
   * Reads one JSON value.
   *
   * @throws JsonSyntaxException naming line and column
   */
  public JsonNode parse(byte[] bytes) {
    if (bytes.length > maxLength) {
      throw new JsonSyntaxException(
          "it has " + bytes.length + " bytes, at most " + maxLength + " are read");
    }
    return parse(new String(bytes, StandardCharsets.UTF_8));
  }

  /** Reads one JSON value; see {@link #parse(byte[])}. */
  public JsonNode parse(String text) {
    if (text.length() > maxLength) {
      throw new JsonSyntaxException(
          "it has " + text.length() + " characters, at most " + maxLength + " are read");
    }
    if (text.startsWith("\ufeff")) {
      throw new JsonSyntaxException(
          "it starts with a byte order mark: save it as UTF-8 without one");
    }
    try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new JsonSyntaxException("it is empty");
      }
      JsonNode value = read(parser, first);
      if (parser.nextToken() != null) {
        throw new JsonSyntaxException(
            "unexpected text after the value", parser.currentTokenLocation());
      }
      return value;
    } catch (StreamReadException e) {
      throw new JsonSyntaxException(SyntaxReason.of(e), e.getLocation());
    } catch (JacksonException e) {
      throw new JsonSyntaxException(SyntaxReason.of(e));
    }
  }

  /**
   * Reads one JSON object.
   *
   * @throws IllegalArgumentException saying where and why the text is none
   */
  public ObjectNode parseObject(String text) {
    JsonNode value = parse(text);
    if (value instanceof ObjectNode object) {
      return object;
    }
    throw new IllegalArgumentException(
        "not a JSON object but a " + value.getNodeType().name().toLowerCase(Locale.ROOT));
  }

  private JsonNode read(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> readArray(parser);
      case VALUE_STRING -> NODES.stringNode(parser.getString());
      case VALUE_NUMBER_INT -> readInteger(parser);
      case VALUE_NUMBER_FLOAT -> readDecimal(parser);
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      case VALUE_NULL -> NODES.nullNode();
      case END_OBJECT, END_ARRAY, PROPERTY_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new JsonSyntaxException("unexpected " + token, parser.currentTokenLocation());
    };
  }

  private ObjectNode readObject(JsonParser parser) {
    ObjectNode object = NODES.objectNode();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      if (duplicates == DuplicateKeys.REFUSED && object.has(name)) {
        throw new JsonSyntaxException(
            "duplicate key %s: duplicated keys are not allowed".formatted(Quoted.brief(name)),
            parser.currentTokenLocation());
      }
      object.set(name, read(parser, parser.nextToken()));
    }
    return object;
  }

  private ArrayNode readArray(JsonParser parser) {
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

  private static JsonNode readDecimal(JsonParser parser) {
    try {
      return NODES.numberNode(parser.getDecimalValue());
    } catch (NumberFormatException e) {
      throw new JsonSyntaxException(
          "the number " + Quoted.brief(parser.getString()) + " is out of range",
          parser.currentTokenLocation());
    }
  }
}
