package io.ocicat.cni.json;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads and writes JSON trees. Reading is strict (one value and nothing after it, no duplicate
 * keys, no comments) and bounded in size and depth; integers and decimals keep every digit. As in
 * Go, bytes that are not UTF-8 become U+FFFD.
 *
 * <p>The trees are Jackson's, but no ObjectMapper builds them: its class loading costs a one-shot
 * plugin more time than everything else it does.
 */
public final class Json {
  /** More than any network configuration or result needs. */
  public static final int MAX_BYTES = 4 << 20;

  public static final int MAX_DEPTH = 128;

  /**
   * Each may become an object of its own, of ten times the size: four megabytes of {@code {},{}}
   * would fill the heap of a daemon.
   */
  static final long MAX_TOKENS = 250_000;

  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(MAX_BYTES)
                  .maxTokenCount(MAX_TOKENS)
                  .build())
          .build();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  /**
   * Reads one JSON value.
   *
   * @throws CniException with code 6, naming line and column
   */
  public static JsonNode parse(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw refuse("it has " + bytes.length + " bytes, at most " + MAX_BYTES + " are read");
    }
    return parse(new String(bytes, StandardCharsets.UTF_8));
  }

  /** Reads one JSON value; see {@link #parse(byte[])}. */
  public static JsonNode parse(String text) {
    if (text.length() > MAX_BYTES) {
      throw refuse("it has " + text.length() + " characters, at most " + MAX_BYTES + " are read");
    }
    if (text.startsWith("\ufeff")) {
      throw refuse("it starts with a byte order mark: save it as UTF-8 without one");
    }
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw refuse("it is empty");
      }
      JsonNode value = read(parser, first);
      if (parser.nextToken() != null) {
        throw refuse("unexpected text after the value", parser.currentTokenLocation());
      }
      return value;
    } catch (StreamReadException e) {
      throw refuse(SyntaxReason.of(e), e.getLocation());
    } catch (JacksonException e) {
      throw refuse(SyntaxReason.of(e));
    }
  }

  private static JsonNode read(JsonParser parser, JsonToken token) {
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
          throw refuse("unexpected " + token, parser.currentTokenLocation());
    };
  }

  private static ObjectNode readObject(JsonParser parser) {
    ObjectNode object = NODES.objectNode();
    for (String name = parser.nextName(); name != null; name = parser.nextName()) {
      if (object.has(name)) {
        throw refuse(
            "duplicate key %s: duplicated keys are not allowed".formatted(Quoted.brief(name)),
            parser.currentTokenLocation());
      }
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

  private static JsonNode readDecimal(JsonParser parser) {
    try {
      return NODES.numberNode(parser.getDecimalValue());
    } catch (NumberFormatException e) {
      throw refuse(
          "the number " + Quoted.brief(parser.getString()) + " is out of range",
          parser.currentTokenLocation());
    }
  }

  private static CniException refuse(String why, TokenStreamLocation where) {
    return new JsonSyntaxException(where.getLineNr(), where.getColumnNr(), why);
  }

  private static CniException refuse(String why) {
    return new CniException(ErrorCode.DECODING_FAILURE, "not valid JSON: " + why);
  }

  public static ObjectNode object() {
    return NODES.objectNode();
  }

  public static ArrayNode array() {
    return NODES.arrayNode();
  }

  public static ArrayNode array(Iterable<String> texts) {
    ArrayNode array = NODES.arrayNode();
    texts.forEach(array::add);
    return array;
  }

  /** One line, as in requests and cache files. */
  public static String compact(JsonNode node) {
    return JsonPrinter.print(node, JsonPrinter.COMPACT);
  }

  public static byte[] compactBytes(JsonNode node) {
    return JsonPrinter.utf8(compact(node));
  }

  /** Four spaces per level and no line break at the end, in the format of CNI plugins. */
  public static String pretty(JsonNode node) {
    return JsonPrinter.print(node, JsonPrinter.PRETTY);
  }

  public static byte[] prettyBytes(JsonNode node) {
    return JsonPrinter.utf8(pretty(node));
  }
}
