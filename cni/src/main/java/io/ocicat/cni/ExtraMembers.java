package io.ocicat.cni;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Unrecognised members of a JSON object: they survive chaining, caching and conversion. */
final class ExtraMembers {
  private ExtraMembers() {}

  static Map<String, JsonNode> copyOf(Map<String, JsonNode> members) {
    return members.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(members));
  }

  static void addTo(ObjectNode json, Map<String, JsonNode> members) {
    addTo(json, members, Set.of());
  }

  /** Adds the members, except those whose names have a meaning in the document being written. */
  static void addTo(ObjectNode json, Map<String, JsonNode> members, Set<String> meaningful) {
    members.forEach(
        (name, value) -> {
          if (!json.has(name) && !meaningful.contains(name)) {
            json.set(name, value.deepCopy());
          }
        });
  }
}
