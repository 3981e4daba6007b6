package io.ocicat.conformance.subject;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Chooses a plugin's profile, from its name and from the user's options. */
final class ProfileChoice {
  private ProfileChoice() {}

  /**
   * @param config a plugin's configuration, or a list with one for this plugin
   */
  static Profile choose(String plugin, Optional<PluginKind> kind, Optional<byte[]> config) {
    Optional<Profile> known =
        KnownPlugins.find(plugin).filter(profile -> kind.isEmpty() || kind.get() == profile.kind());
    if (config.isEmpty()) {
      return known.orElseThrow(
          () ->
              new ConformanceException(
                  "no built-in configuration for %s%s: give one with --config, and what it is with --kind (known are %s)"
                      .formatted(
                          Quoted.brief(plugin),
                          kind.map(k -> " as plugin of kind " + k).orElse(""),
                          String.join(", ", KnownPlugins.names()))));
    }
    ObjectNode read = read(plugin, config.get());
    Profile profile =
        known.orElseGet(
            () ->
                Profile.of(
                    plugin,
                    kind.orElseThrow(
                        () ->
                            new ConformanceException(
                                "%s is not known by name: say with --kind whether it is interface, loopback, ipam or chained"
                                    .formatted(Quoted.brief(plugin)))),
                    Json.object()));
    return profile.config(read);
  }

  private static ObjectNode read(String plugin, byte[] bytes) {
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      throw new ConformanceException("the configuration is " + e.getMessage(), e);
    }
    if (!(document instanceof ObjectNode object)) {
      throw new ConformanceException("the configuration is not a JSON object");
    }
    return withoutRuntimeMembers(object.has("plugins") ? element(plugin, object) : object);
  }

  private static ObjectNode element(String plugin, ObjectNode list) {
    for (JsonNode element : list.get("plugins")) {
      if (element instanceof ObjectNode object && object.path("type").asString("").equals(plugin)) {
        ObjectNode named = object.deepCopy();
        named.set("name", list.path("name"));
        return named;
      }
    }
    throw new ConformanceException(
        "the configuration is a list without a plugin of type " + Quoted.brief(plugin));
  }

  /** The runner decides about versions and previous results; a runtime removes capabilities. */
  private static ObjectNode withoutRuntimeMembers(ObjectNode config) {
    ObjectNode kept = config.deepCopy();
    kept.remove(
        config.propertyNames().stream()
            .filter(
                name ->
                    switch (name.toLowerCase(Locale.ROOT)) {
                      case "cniversion", "prevresult", "capabilities" -> true;
                      default -> name.startsWith("cni.dev/");
                    })
            .toList());
    return kept;
  }
}
