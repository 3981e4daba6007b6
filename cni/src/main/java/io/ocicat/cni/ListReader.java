package io.ocicat.cni;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the members of a configuration list. Their names match exactly, and the first mistake ends
 * it, with libcni's message prefix: callers match on these texts.
 */
record ListReader(ObjectNode json) {
  private static final String PARSING = "error parsing configuration list: ";

  static ListReader of(byte[] bytes) {
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      throw e.prefixed(PARSING);
    }
    if (document instanceof ObjectNode object) {
      return new ListReader(object);
    }
    if (document.isNull()) {
      return new ListReader(Json.object());
    }
    throw refuse("must be an object, not a " + kind(document));
  }

  String name() {
    JsonNode name = member("name");
    if (name == null) {
      throw refuse("no name");
    }
    if (!name.isString()) {
      throw refuse("invalid name type " + kind(name) + ": it must be a string");
    }
    return name.stringValue();
  }

  ListVersions versions() {
    JsonNode version = member("cniVersion");
    if (version != null && !version.isString()) {
      throw refuse("invalid cniVersion type " + kind(version) + ": it must be a string");
    }
    String cniVersion = version == null ? "" : version.stringValue();
    JsonNode list = member("cniVersions");
    if (list == null) {
      return ListVersions.single(cniVersion);
    }
    List<String> cniVersions = cniVersions(list);
    check(cniVersion, "invalid cniVersion " + Quoted.brief(cniVersion) + ": ");
    return ListVersions.negotiate(cniVersion, cniVersions);
  }

  private static List<String> cniVersions(JsonNode list) {
    if (!list.isArray()) {
      throw refuse(
          "invalid type for cniVersions: " + kind(list) + ", it must be a list of strings");
    }
    List<String> versions = new ArrayList<>();
    for (JsonNode entry : list.values()) {
      int index = versions.size();
      if (!entry.isString()) {
        throw refuse("invalid type for cniVersions index " + index + ": " + kind(entry));
      }
      String text = entry.stringValue();
      check(text, "invalid cniVersions entry " + text + " at index " + index + ": ");
      versions.add(text);
    }
    return versions;
  }

  private static void check(String version, String prefix) {
    try {
      VersionNumber.parse(version);
    } catch (CniException e) {
      throw refuse(prefix + e.getMessage());
    }
  }

  /** A boolean or, as in 0.4.0, a string that says true or false. */
  boolean flag(String key) {
    JsonNode flag = member(key);
    if (flag == null) {
      return false;
    }
    if (flag.isBoolean()) {
      return flag.booleanValue();
    }
    if (!flag.isString()) {
      throw refuse("invalid type " + kind(flag) + " for " + key + ": it must be true or false");
    }
    String text = flag.stringValue().toLowerCase(Locale.ROOT);
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw refuse(
              "invalid value " + Quoted.brief(text) + " for " + key + ": it must be true or false");
    };
  }

  List<PluginConfig> plugins(boolean loadOnlyInlinedPlugins) {
    JsonNode list = member("plugins");
    if (list == null) {
      if (loadOnlyInlinedPlugins) {
        throw refuse("`loadOnlyInlinedPlugins` is true, and no 'plugins' key");
      }
      return List.of();
    }
    if (!list.isArray()) {
      throw refuse("invalid 'plugins' type " + kind(list) + ": it must be a list");
    }
    if (list.isEmpty()) {
      throw refuse("no plugins in list");
    }
    List<PluginConfig> plugins = new ArrayList<>();
    for (JsonNode element : list.values()) {
      try {
        plugins.add(PluginConfig.of(element));
      } catch (CniException e) {
        throw e.prefixed("failed to parse plugin config " + plugins.size() + ": ");
      }
    }
    return plugins;
  }

  private @Nullable JsonNode member(String name) {
    return json.get(name);
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "list";
      case STRING -> "string";
      case NUMBER -> "number";
      case BOOLEAN -> "boolean";
      case NULL -> "null";
      case BINARY, MISSING, POJO -> "unknown";
    };
  }

  private static CniException refuse(String why) {
    return new CniException(ErrorCode.INVALID_NETWORK_CONFIG, PARSING + why);
  }
}
