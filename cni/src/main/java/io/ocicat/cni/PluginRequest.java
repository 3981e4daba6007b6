package io.ocicat.cni;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the request that a plugin receives on stdin from its configuration, by the rules of the
 * specification: name and version of the list and, depending on the verb, the previous result, the
 * capability arguments the plugin asked for and the attachments GC must keep.
 *
 * <p>Members that only a runtime may set are dropped when a file has them, and {@link #warnings()}
 * reports it. Immutable.
 */
public final class PluginRequest {
  private final PluginConfig config;
  private final String name;
  private final String version;
  private final @Nullable Result previousResult;
  private final Map<String, JsonNode> capabilityArgs;
  private final @Nullable List<Attachment> validAttachments;
  private final boolean keepCapabilities;

  private PluginRequest(
      PluginConfig config,
      String name,
      String version,
      @Nullable Result previousResult,
      Map<String, JsonNode> capabilityArgs,
      @Nullable List<Attachment> validAttachments,
      boolean keepCapabilities) {
    this.config = config;
    this.name = name;
    this.version = version;
    this.previousResult = previousResult;
    this.capabilityArgs = capabilityArgs;
    this.validAttachments = validAttachments;
    this.keepCapabilities = keepCapabilities;
  }

  static PluginRequest of(PluginConfig config, String name, String version) {
    return new PluginRequest(config, name, version, null, Map.of(), null, false);
  }

  /** For ADD from the second plugin on, CHECK and DEL. Null when there is none. */
  public PluginRequest previousResult(@Nullable Result result) {
    return new PluginRequest(
        config, name, version, result, capabilityArgs, validAttachments, keepCapabilities);
  }

  /** For ADD, CHECK and DEL: passes the arguments that the plugin declares as capabilities. */
  public PluginRequest capabilityArgs(Map<String, JsonNode> args) {
    return new PluginRequest(
        config,
        name,
        version,
        previousResult,
        Map.copyOf(args),
        validAttachments,
        keepCapabilities);
  }

  /** For GC. Without this call the plugin gets no list of attachments. */
  public PluginRequest validAttachments(List<Attachment> attachments) {
    return new PluginRequest(
        config,
        name,
        version,
        previousResult,
        capabilityArgs,
        List.copyOf(attachments),
        keepCapabilities);
  }

  /** Keeps {@code capabilities}, as libcni does against the specification. */
  public PluginRequest keepCapabilities() {
    return new PluginRequest(
        config, name, version, previousResult, capabilityArgs, validAttachments, true);
  }

  public ObjectNode toJson() {
    ObjectNode json = config.json();
    json.remove(reserved(json));
    if (!keepCapabilities) {
      removeAnyCase(json, "capabilities");
    }
    removeAnyCase(json, "name");
    removeAnyCase(json, "cniVersion");
    json.put("name", name).put("cniVersion", version);
    ObjectNode runtimeConfig = Json.object();
    capabilityArgs.forEach(
        (capability, value) -> {
          if (config.hasCapability(capability)) {
            runtimeConfig.set(capability, value.deepCopy());
          }
        });
    if (!runtimeConfig.isEmpty()) {
      json.set("runtimeConfig", runtimeConfig);
    }
    if (previousResult != null) {
      json.set("prevResult", previousResult.toJson());
    }
    if (validAttachments != null) {
      json.set(PluginConfig.VALID_ATTACHMENTS, attachments(validAttachments));
      json.set(PluginConfig.ATTACHMENTS, attachments(validAttachments));
    }
    return json;
  }

  /** The request as the plugin reads it. */
  public PluginConfig toConfig() {
    return PluginConfig.ofRequest(toJson());
  }

  /** One sentence for each member of the configuration that was dropped. */
  public List<String> warnings() {
    return reserved(config.json()).stream()
        .map(
            key ->
                "plugin %s: %s in the configuration is ignored: only the runtime may set it"
                    .formatted(Quoted.of(config.type()), Quoted.of(key)))
        .toList();
  }

  /** Case-insensitive, because Go's plugins read them so. */
  private static List<String> reserved(ObjectNode json) {
    List<String> reserved = new ArrayList<>();
    for (String key : json.propertyNames()) {
      String lower = key.toLowerCase(Locale.ROOT);
      if (lower.equals("prevresult")
          || lower.equals("runtimeconfig")
          || lower.startsWith("cni.dev/")) {
        reserved.add(key);
      }
    }
    return reserved;
  }

  private static void removeAnyCase(ObjectNode json, String name) {
    json.remove(json.propertyNames().stream().filter(name::equalsIgnoreCase).toList());
  }

  private static ArrayNode attachments(List<Attachment> attachments) {
    ArrayNode array = Json.array();
    attachments.forEach(attachment -> array.add(attachment.toJson()));
    return array;
  }
}
