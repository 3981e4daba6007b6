package io.ocicat.daemon.call;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.config.DatastoreConfig;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Removes secrets from recorded calls: the values of passwords, tokens and keys. The names of files
 * that hold them are not secret. A DEL that is made from a record finds them in the network's
 * configuration.
 */
final class SecretRedaction {
  private static final List<String> WORDS = List.of("token", "password", "secret");

  private SecretRedaction() {}

  /** Whether the value of a variable is a secret. */
  static boolean isVariable(String name) {
    return isName(name) || DatastoreConfig.SECRET_VARIABLES.contains(name);
  }

  /** The secrets among the variables that plugins read. */
  static Map<String, String> of(Map<String, String> environment) {
    Map<String, String> secrets = new HashMap<>();
    environment.forEach(
        (name, value) -> {
          if (isVariable(name) && CallJournal.isForPlugins(name) && !value.isEmpty()) {
            secrets.put(name, value);
          }
        });
    return secrets;
  }

  /** The request without its secrets; the same array when it has none. */
  static byte[] removedFrom(byte[] stdin) {
    if (!mayHaveAny(stdin)) {
      return stdin;
    }
    try {
      return CniJson.parse(stdin) instanceof ObjectNode request && remove(request)
          ? Json.compactBytes(request)
          : stdin;
    } catch (CniException _) {
      return stdin;
    }
  }

  /** Most requests have none, and parsing one costs more than searching it. */
  private static boolean mayHaveAny(byte[] stdin) {
    String text = new String(stdin, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    return WORDS.stream().anyMatch(text::contains)
        || DatastoreConfig.SECRET_MEMBERS.stream().anyMatch(text::contains);
  }

  private static boolean remove(JsonNode node) {
    boolean removed = false;
    if (node instanceof ObjectNode object) {
      for (String name : List.copyOf(object.propertyNames())) {
        JsonNode value = object.get(name);
        if (value.isString() && isMember(name)) {
          object.remove(name);
          removed = true;
        } else {
          removed |= remove(value);
        }
      }
    } else if (node instanceof ArrayNode array) {
      for (JsonNode item : array) {
        removed |= remove(item);
      }
    }
    return removed;
  }

  /** Puts back what was removed, as far as the other has it in the same place. */
  static void putBack(ObjectNode into, ObjectNode from) {
    for (Map.Entry<String, JsonNode> member : from.properties()) {
      JsonNode value = member.getValue();
      if (value.isString() && isMember(member.getKey())) {
        into.putIfAbsent(member.getKey(), value);
      } else if (value instanceof ObjectNode below
          && into.get(member.getKey()) instanceof ObjectNode same) {
        putBack(same, below);
      }
    }
  }

  private static boolean isMember(String name) {
    return isName(name) || DatastoreConfig.SECRET_MEMBERS.contains(name);
  }

  private static boolean isName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return WORDS.stream().anyMatch(lower::contains) && !lower.endsWith("file");
  }
}
