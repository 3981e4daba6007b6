package io.ocicat.base.json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Makes and prints JSON trees; a {@link JsonReader} reads them. */
public final class Json {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

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

  /** One line, as requests and cache files hold it. */
  public static String compact(JsonNode node) {
    return JsonPrinter.print(node, JsonPrinter.COMPACT);
  }

  public static byte[] compactBytes(JsonNode node) {
    return JsonPrinter.utf8(compact(node));
  }

  /** Four spaces per level and no line break at the end, as CNI plugins print. */
  public static String pretty(JsonNode node) {
    return JsonPrinter.print(node, JsonPrinter.PRETTY);
  }

  public static byte[] prettyBytes(JsonNode node) {
    return JsonPrinter.utf8(pretty(node));
  }
}
