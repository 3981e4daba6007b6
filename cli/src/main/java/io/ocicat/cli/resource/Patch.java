package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.yaml.YamlReader;
import io.ocicat.datastore.json.StoredJson;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Changes to a document: a merge patch (RFC 7386) or a list of operations (RFC 6902). */
sealed interface Patch {
  /**
   * The changed document; the one given is not changed.
   *
   * @throws CommandException when it cannot be applied
   */
  ObjectNode apply(ObjectNode document);

  /** Calico's types define no keys to merge lists by, so its strategic merge is this, too. */
  static Patch merge(String text) {
    if (parse(text) instanceof ObjectNode object) {
      return new Merge(object);
    }
    throw new CommandException(
        "a merge patch is an object, as in {\"spec\": {\"disabled\": true}}");
  }

  static Patch operations(String text) {
    if (parse(text) instanceof ArrayNode array) {
      return new Operations(array);
    }
    throw new CommandException(
        "a JSON patch is a list of operations, as in [{\"op\": \"remove\", \"path\": \"/spec/x\"}]");
  }

  private static JsonNode parse(String text) {
    try {
      List<YamlReader.Document> documents = YamlReader.readAll(text);
      if (documents.size() == 1) {
        return documents.getFirst().value();
      }
      throw new CommandException("the patch must be one document");
    } catch (IllegalArgumentException e) {
      throw new CommandException("the patch cannot be read: " + e.getMessage(), e);
    }
  }

  /** Members replace those of the same name, null removes them, objects are merged. */
  record Merge(ObjectNode patch) implements Patch {
    @Override
    public ObjectNode apply(ObjectNode document) {
      return merged(document.deepCopy(), patch);
    }

    private static ObjectNode merged(ObjectNode target, ObjectNode patch) {
      for (Map.Entry<String, JsonNode> entry : patch.properties()) {
        String name = entry.getKey();
        switch (entry.getValue()) {
          case ObjectNode object ->
              target.set(
                  name,
                  merged(target.get(name) instanceof ObjectNode old ? old : Json.object(), object));
          case JsonNode value when value.isNull() -> target.remove(name);
          case JsonNode value -> target.set(name, value.deepCopy());
        }
      }
      return target;
    }
  }

  /** One operation after the other. */
  record Operations(ArrayNode list) implements Patch {
    @Override
    public ObjectNode apply(ObjectNode document) {
      ObjectNode changed = document.deepCopy();
      for (int i = 0; i < list.size(); i++) {
        try {
          step(changed, list.get(i));
        } catch (IllegalArgumentException e) {
          throw new CommandException(
              "operation %d of the patch, %s, cannot be done: %s"
                  .formatted(i + 1, StoredJson.compact(list.get(i)), e.getMessage()),
              e);
        }
      }
      return changed;
    }

    private static void step(ObjectNode document, JsonNode operation) {
      JsonPointer path = pointer(operation, "path");
      switch (operation.path("op").asString("")) {
        case "add" -> add(document, path, value(operation));
        case "remove" -> remove(document, path);
        case "replace" -> {
          remove(document, path);
          add(document, path, value(operation));
        }
        case "move" -> {
          JsonNode moved = at(document, pointer(operation, "from"));
          remove(document, pointer(operation, "from"));
          add(document, path, moved);
        }
        case "copy" -> add(document, path, at(document, pointer(operation, "from")).deepCopy());
        case "test" -> {
          if (!StoredJson.compact(at(document, path))
              .equals(StoredJson.compact(value(operation)))) {
            throw new IllegalArgumentException("the value there is another one");
          }
        }
        default ->
            throw new IllegalArgumentException(
                "op must be add, remove, replace, move, copy or test");
      }
    }

    private static JsonPointer pointer(JsonNode operation, String name) {
      String text = operation.path(name).asString("");
      if (!text.startsWith("/")) {
        throw new IllegalArgumentException("%s must start with /".formatted(name));
      }
      return JsonPointer.compile(text);
    }

    private static JsonNode value(JsonNode operation) {
      JsonNode value = operation.path("value");
      if (value.isMissingNode()) {
        throw new IllegalArgumentException("it has no value");
      }
      return value.deepCopy();
    }

    private static JsonNode at(JsonNode document, JsonPointer path) {
      JsonNode found = document.at(path);
      if (found.isMissingNode()) {
        throw new IllegalArgumentException("there is nothing at " + Quoted.brief(path.toString()));
      }
      return found;
    }

    private static void add(ObjectNode document, JsonPointer path, JsonNode value) {
      JsonPointer last = path.last();
      switch (at(document, path.head())) {
        case ObjectNode object -> object.set(last.getMatchingProperty(), value);
        case ArrayNode array -> {
          boolean end = last.getMatchingProperty().equals("-");
          int index = end ? array.size() : last.getMatchingIndex();
          if (index < 0 || index > array.size()) {
            throw new IllegalArgumentException("the list there is shorter");
          }
          array.insert(index, value);
        }
        default -> throw new IllegalArgumentException("there is neither an object nor a list");
      }
    }

    private static void remove(ObjectNode document, JsonPointer path) {
      at(document, path);
      switch (at(document, path.head())) {
        case ObjectNode object -> object.remove(path.last().getMatchingProperty());
        case ArrayNode array -> array.remove(path.last().getMatchingIndex());
        default -> throw new IllegalArgumentException("there is neither an object nor a list");
      }
    }
  }
}
