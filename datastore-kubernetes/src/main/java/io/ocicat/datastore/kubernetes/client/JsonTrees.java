package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.json.Json;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Looks into the API's objects without trusting them to be well-formed. */
public final class JsonTrees {
  private JsonTrees() {}

  /** The object of that name; an empty one, which is not put there, when it is none. */
  public static ObjectNode object(JsonNode parent, String name) {
    return parent.path(name) instanceof ObjectNode object ? object : Json.object();
  }

  public static ObjectNode metadata(JsonNode object) {
    return object(object, "metadata");
  }

  /** Empty when it is no text. */
  public static String text(JsonNode parent, String name) {
    return parent.path(name).asString("");
  }

  public static String name(JsonNode object) {
    return text(metadata(object), "name");
  }

  public static String revision(JsonNode object) {
    return text(metadata(object), "resourceVersion");
  }

  /** Names and texts, as labels and annotations are. */
  public static Map<String, String> texts(JsonNode parent, String name) {
    Map<String, String> texts = new TreeMap<>();
    parent.path(name).forEachEntry((member, value) -> texts.put(member, value.asString("")));
    return texts;
  }

  public static String annotation(JsonNode object, String name) {
    return text(metadata(object).path("annotations"), name);
  }
}
