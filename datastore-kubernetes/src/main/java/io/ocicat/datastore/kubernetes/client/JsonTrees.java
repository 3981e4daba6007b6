package io.ocicat.datastore.kubernetes.client;

import io.ocicat.base.json.Json;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads members of the API's objects without assuming that they are well-formed. */
public final class JsonTrees {
  private JsonTrees() {}

  /** Returns the object of that name, or a new empty one, which is not added to the parent. */
  public static ObjectNode object(JsonNode parent, String name) {
    return parent.path(name) instanceof ObjectNode object ? object : Json.object();
  }

  public static ObjectNode metadata(JsonNode object) {
    return object(object, "metadata");
  }

  /** Returns the text of that name; empty when it is not text. */
  public static String text(JsonNode parent, String name) {
    return parent.path(name).asString("");
  }

  public static String name(JsonNode object) {
    return text(metadata(object), "name");
  }

  public static String revision(JsonNode object) {
    return text(metadata(object), "resourceVersion");
  }

  /** Returns names and texts, such as labels and annotations. */
  public static Map<String, String> texts(JsonNode parent, String name) {
    Map<String, String> texts = new TreeMap<>();
    parent.path(name).forEachEntry((member, value) -> texts.put(member, value.asString("")));
    return texts;
  }

  public static String annotation(JsonNode object, String name) {
    return text(metadata(object).path("annotations"), name);
  }
}
