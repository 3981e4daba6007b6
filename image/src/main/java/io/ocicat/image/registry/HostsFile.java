package io.ocicat.image.registry;

import io.ocicat.base.json.JsonField;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * containerd's {@code hosts.toml}: where a registry's images come from. Mirrors are asked in the
 * order of the file, the registry itself at last. An address with {@code http://} in it is spoken
 * to without encryption: that is the operator's decision.
 */
final class HostsFile {
  private static final int LONGEST = 1 << 20;
  private static final String DEFAULT = "_default";

  private HostsFile() {}

  /** The servers of a registry, in the order in which they are asked. */
  static List<RegistryHost> hosts(String registry, Path folder) {
    // A colon cannot be in file names everywhere: containerd knows both spellings.
    for (String name : List.of(registry, registry.replaceFirst(":([0-9]+)$", "_$1_"), DEFAULT)) {
      Path file = folder.resolve(name).resolve("hosts.toml");
      if (Files.isRegularFile(file)) {
        return read(registry, file);
      }
    }
    return List.of(RegistryHost.of(registry));
  }

  private static List<RegistryHost> read(String registry, Path file) {
    try {
      if (Files.size(file) > LONGEST) {
        throw new IllegalArgumentException("it has more than %d bytes".formatted(LONGEST));
      }
      JsonNode document = TomlMapper.shared().readTree(Files.readAllBytes(file));
      if (!(document instanceof ObjectNode object)) {
        throw new IllegalArgumentException("it is not a table");
      }
      return JsonFields.read(object, in -> hosts(registry, file, in));
    } catch (IOException | RuntimeException e) {
      String why =
          e instanceof JacksonException toml
              ? "line %d: %s".formatted(toml.getLocation().getLineNr(), toml.getOriginalMessage())
              : e.getMessage();
      throw new ImageException(Reason.INVALID, "%s: %s".formatted(file, why), e);
    }
  }

  private static List<RegistryHost> hosts(String registry, Path file, JsonFields in) {
    List<RegistryHost> hosts = new ArrayList<>();
    JsonFields mirrors = in.object("host");
    for (String url : mirrors.names()) {
      hosts.add(host(url, file, mirrors.object(url), true));
    }
    String server = in.text("server").or("");
    // The settings at the head of the file are the registry's own, whatever its address.
    String own = server.isEmpty() ? RegistryHost.of(registry).base().toString() : server;
    hosts.add(host(own, file, in, false));
    return hosts;
  }

  private static RegistryHost host(String url, Path file, JsonFields in, boolean mirror) {
    if (in.has("client")) {
      in.problem("client", "is not supported: registries with client certificates cannot be used");
    }
    List<String> capabilities = in.texts("capabilities").or(List.of("pull", "resolve"));
    return new RegistryHost(
        base(url, in.bool("override_path").or(false)),
        capabilities.contains("resolve"),
        headers(in.object("header")),
        authorities(in.value("ca"), file),
        in.bool("skip_verify").or(false),
        mirror);
  }

  private static URI base(String url, boolean complete) {
    String full = url.contains("://") ? url : "https://" + url;
    URI uri = URI.create(full.replaceFirst("/+$", ""));
    if (uri.getHost() == null
        || !List.of("http", "https").contains(uri.getScheme())
        || uri.getUserInfo() != null) {
      throw new IllegalArgumentException(
          "\"%s\" is not the address of a registry: https://HOST[:PORT]".formatted(url));
    }
    return complete || uri.getPath().endsWith("/v2") ? uri : URI.create(uri + "/v2");
  }

  private static Map<String, List<String>> headers(JsonFields in) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String name : in.names()) {
      headers.put(name, oneOrMore(in.value(name)));
    }
    return headers;
  }

  private static List<Path> authorities(JsonValue ca, Path file) {
    return oneOrMore(ca).stream().map(name -> file.resolveSibling(name)).toList();
  }

  private static List<String> oneOrMore(JsonValue value) {
    boolean list = value.raw().filter(JsonNode::isArray).isPresent();
    JsonField<List<String>> texts = list ? value.texts() : value.text().map(List::of, List.of());
    return texts.or(List.of());
  }
}
