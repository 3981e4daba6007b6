package io.ocicat.datastore.kubernetes;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The resource that an API request refers to, parsed from its path. Texts that do not apply are
 * empty.
 */
record Target(
    String group,
    String resource,
    String namespace,
    String name,
    String sub,
    Map<String, String> options) {

  static Target of(URI uri) {
    List<String> parts =
        new ArrayList<>(
            Arrays.stream(uri.getRawPath().substring(1).split("/", -1))
                .map(Target::decode)
                .toList());
    boolean core = parts.removeFirst().equals("api");
    String group = core || parts.isEmpty() ? "" : parts.removeFirst();
    if (!parts.isEmpty()) {
      parts.removeFirst();
    }
    String namespace = "";
    if (parts.size() > 2 && parts.getFirst().equals("namespaces")) {
      parts.removeFirst();
      namespace = parts.removeFirst();
    }
    while (parts.size() < 3) {
      parts.add("");
    }
    return new Target(group, parts.get(0), namespace, parts.get(1), parts.get(2), options(uri));
  }

  private static Map<String, String> options(URI uri) {
    Map<String, String> options = new TreeMap<>();
    if (uri.getRawQuery() != null) {
      for (String option : uri.getRawQuery().split("&", -1)) {
        int at = option.indexOf('=');
        options.put(option.substring(0, at), decode(option.substring(at + 1)));
      }
    }
    return options;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  String collection() {
    return group.isEmpty() ? resource : resource + "." + group;
  }

  String key() {
    return key(namespace, name);
  }

  static String key(String namespace, String name) {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }

  boolean isWatch() {
    return options.getOrDefault("watch", "").equals("true");
  }

  String option(String name) {
    return options.getOrDefault(name, "");
  }

  /** As in RBAC rules. */
  String verb(String method) {
    return switch (method) {
      case "GET" -> isWatch() ? "watch" : name.isEmpty() ? "list" : "get";
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      default -> "delete";
    };
  }
}
