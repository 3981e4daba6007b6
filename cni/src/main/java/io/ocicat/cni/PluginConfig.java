package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The configuration of one plugin: an element of a list, a single-plugin file, or what a plugin
 * reads on stdin. It interprets the members that the specification names and keeps all others
 * unchanged. Immutable: getters return copies.
 */
public final class PluginConfig {
  static final String VALID_ATTACHMENTS = "cni.dev/valid-attachments";

  /** The name in the tagged text of 1.1.0; plugins written from it read this one. */
  static final String ATTACHMENTS = "cni.dev/attachments";

  private static final String PREV_RESULT = "prevResult";
  private static final String PARSING = "error parsing configuration: ";
  private static final String UNMARSHALLING = "error unmarshall network config: ";

  private final ObjectNode json;

  /** Null until somebody needs them. */
  private volatile byte @Nullable [] bytes;

  private final String type;
  private final String name;
  private final String cniVersion;
  private final Map<String, Boolean> capabilities;
  private final String ipamType;
  private final Dns dns;

  private PluginConfig(ObjectNode json, byte @Nullable [] bytes, JsonFields in) {
    this.json = json;
    this.bytes = bytes;
    this.type = in.text("type").or("");
    this.name = in.text("name").or("");
    this.cniVersion = in.text("cniVersion").or("");
    this.capabilities = capabilities(in.object("capabilities"));
    this.ipamType = in.object("ipam").text("type").or("");
    this.dns = Dns.read(in.object("dns"));
    in.object(PREV_RESULT);
  }

  private static Map<String, Boolean> capabilities(JsonFields in) {
    Map<String, Boolean> capabilities = new LinkedHashMap<>();
    for (String capability : in.names()) {
      capabilities.put(capability, in.bool(capability).or(false));
    }
    return Collections.unmodifiableMap(capabilities);
  }

  /**
   * A plugin's configuration from a file.
   *
   * @throws CniException with code 6 for invalid JSON, 7 for an invalid plugin configuration
   */
  public static PluginConfig parse(byte[] bytes) {
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      throw e.prefixed(PARSING);
    }
    return withType(document, bytes.clone());
  }

  /** A plugin's configuration from a list; see {@link #parse(byte[])}. */
  public static PluginConfig of(JsonNode document) {
    return withType(document.deepCopy(), null);
  }

  private static PluginConfig withType(JsonNode document, byte @Nullable [] bytes) {
    PluginConfig config = read(document, bytes, ErrorCode.INVALID_NETWORK_CONFIG, PARSING);
    if (config.type.isEmpty()) {
      String hint = config.json.has("plugins") ? "this is a list: name the file .conflist" : "";
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, PARSING + "missing 'type'", hint);
    }
    return config;
  }

  /**
   * What a plugin reads on stdin. The type is optional: the plugin knows its own.
   *
   * @throws CniException with code 6
   */
  public static PluginConfig ofRequest(byte[] stdin) {
    return request(document(stdin), stdin.clone());
  }

  /** The same, for a request that was made in this process. */
  public static PluginConfig ofRequest(ObjectNode request) {
    return request(request.deepCopy(), null);
  }

  private static JsonNode document(byte[] stdin) {
    try {
      return CniJson.parse(stdin);
    } catch (CniException e) {
      throw e.prefixed(UNMARSHALLING);
    }
  }

  private static PluginConfig request(JsonNode document, byte @Nullable [] bytes) {
    return read(document, bytes, ErrorCode.DECODING_FAILURE, UNMARSHALLING);
  }

  /**
   * What a plugin reads on stdin for DEL. An invalid prevResult, for instance from a truncated
   * cache, must not keep anything from being removed: it counts as missing.
   *
   * @throws CniException with code 6
   */
  public static PluginConfig ofDelRequest(byte[] stdin) {
    JsonNode document = document(stdin);
    if (document instanceof ObjectNode request && hasInvalidPrevResult(request)) {
      request.remove(
          request.propertyNames().stream().filter(PREV_RESULT::equalsIgnoreCase).toList());
      return request(request, null);
    }
    return request(document, stdin.clone());
  }

  private static boolean hasInvalidPrevResult(ObjectNode request) {
    JsonFields in = JsonFields.of(request);
    in.object(PREV_RESULT);
    return !in.problems().isEmpty();
  }

  /** The literal null is an empty object, as in Go. */
  private static PluginConfig read(
      JsonNode document, byte @Nullable [] bytes, ErrorCode code, String prefix) {
    JsonFields in = JsonValue.of(document).object();
    ObjectNode json = document instanceof ObjectNode object ? object : Json.object();
    PluginConfig config = new PluginConfig(json, bytes, in);
    if (!in.problems().isEmpty()) {
      throw new CniException(code, prefix + in.problems().describe());
    }
    return config;
  }

  /** The name of the executable; {@link PluginType} checks it before the lookup. */
  public String type() {
    return type;
  }

  /** The network's name: always present in a request, often empty in an element of a list. */
  public String name() {
    return name;
  }

  /** As written, possibly empty. */
  public String cniVersion() {
    return cniVersion;
  }

  /**
   * The version that the response must have.
   *
   * @throws CniException with code 1 when the specification has no such version
   */
  public SpecVersion specVersion() {
    return SpecVersion.of(cniVersion);
  }

  /** The declared capabilities, including those with the value false. */
  public Map<String, Boolean> capabilities() {
    return capabilities;
  }

  public boolean hasCapability(String capability) {
    return capabilities.getOrDefault(capability, false);
  }

  /** Empty when there is none. */
  public String ipamType() {
    return ipamType;
  }

  public Dns dns() {
    return dns;
  }

  /** Every member as written. */
  public ObjectNode json() {
    return json.deepCopy();
  }

  /** The bytes it was read from or, if it was not read from bytes, its compact form. */
  public byte[] bytes() {
    byte[] known = bytes;
    if (known == null) {
      known = Json.compactBytes(json);
      bytes = known;
    }
    return known.clone();
  }

  /**
   * Reads the plugin's own members: {@code config.read(in -> new BridgeConf(in.text("bridge")…))}.
   *
   * @throws CniException with code 7, naming every bad field
   */
  public <T> T read(Function<JsonFields, T> reader) {
    return CniJson.read(json, reader);
  }

  /**
   * The result of the previous plugins, if the request has it.
   *
   * @throws CniException with code 6 when it is invalid or of another family of versions
   */
  public Optional<Result> previousResult() {
    return JsonFields.of(json)
        .value(PREV_RESULT)
        .raw()
        .map(document -> Result.parsePrevious(document, specVersion()));
  }

  /**
   * The attachments that GC must keep. A null list is empty (Go writes it so); without a list
   * nothing is known, and nothing should be collected.
   */
  public Optional<List<Attachment>> validAttachments() {
    for (String key : List.of(VALID_ATTACHMENTS, ATTACHMENTS)) {
      if (json.has(key)) {
        return Optional.of(read(in -> in.objects(key).stream().map(Attachment::read).toList()));
      }
    }
    return Optional.empty();
  }

  /**
   * The request that this plugin receives on stdin; {@code name} and {@code version} are the
   * list's.
   */
  public PluginRequest request(String name, String version) {
    return PluginRequest.of(this, name, version);
  }

  /**
   * This configuration with members set or replaced (not merged).
   *
   * @throws CniException with code 7 for an empty key or a null value, or when the outcome is not a
   *     valid configuration
   */
  public PluginConfig with(Map<String, ? extends @Nullable JsonNode> members) {
    ObjectNode changed = json.deepCopy();
    members.forEach(
        (key, value) -> {
          if (key.isEmpty()) {
            throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "keys cannot be empty");
          }
          if (value == null || value.isNull()) {
            throw new CniException(
                ErrorCode.INVALID_NETWORK_CONFIG, "key '" + key + "' value must not be nil");
          }
          changed.set(key, value);
        });
    return withType(changed, null);
  }

  @Override
  public String toString() {
    return "PluginConfig[type=" + type + ", name=" + name + ", cniVersion=" + cniVersion + "]";
  }
}
