package io.ocicat.datastore.kubernetes.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads the subset of YAML that a kubeconfig needs: names and texts, lists and maps. */
public final class KubeconfigYaml {
  /** A kubeconfig with the certificates of a hundred clusters is smaller. */
  private static final int MAX_LENGTH = 4 << 20;

  private KubeconfigYaml() {}

  /**
   * Parses one document that is a map.
   *
   * @throws IllegalArgumentException saying where and why it is invalid
   */
  public static Map<String, Object> map(String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_LENGTH)
            .setMaxAliasesForCollections(50)
            .build();
    try {
      Object value = new Load(settings).loadFromString(text);
      if (value instanceof Map<?, ?> map) {
        return texts(map);
      }
    } catch (YamlEngineException e) {
      String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IllegalArgumentException("not valid YAML: " + message, e);
    } catch (StackOverflowError e) {
      // The library composes nodes by recursion, without a limit of its own.
      throw new IllegalArgumentException("not valid YAML: nested too deep", e);
    }
    throw new IllegalArgumentException("not a map of names and values");
  }

  private static Map<String, Object> texts(Map<?, ?> map) {
    Map<String, Object> named = new LinkedHashMap<>();
    map.forEach(
        (name, value) -> {
          if (value != null) {
            named.put(String.valueOf(name), value);
          }
        });
    return named;
  }

  /** The map of that name; empty when missing. */
  public static Map<String, Object> map(Map<String, Object> parent, String name) {
    return parent.get(name) instanceof Map<?, ?> map ? texts(map) : Map.of();
  }

  /** The list of maps of that name; empty when missing. */
  public static List<Map<String, Object>> maps(Map<String, Object> parent, String name) {
    return parent.get(name) instanceof List<?> list
        ? list.stream().filter(Map.class::isInstance).map(item -> texts((Map<?, ?>) item)).toList()
        : List.of();
  }

  /** The text of that name; empty when missing. */
  public static String text(Map<String, Object> parent, String name) {
    Object value = parent.get(name);
    return value == null ? "" : String.valueOf(value);
  }
}
