package io.ocicat.datastore.kubernetes.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to the API.
 *
 * @param subject for messages
 */
public record ApiCall(
    Verb verb,
    ApiPath path,
    Map<String, String> options,
    @Nullable ObjectNode body,
    String subject) {

  /** A verb as in RBAC, and its HTTP method. */
  public enum Verb {
    GET("GET", "get"),
    LIST("GET", "list"),
    WATCH("GET", "watch"),
    CREATE("POST", "create"),
    UPDATE("PUT", "update"),
    PATCH("PATCH", "patch"),
    DELETE("DELETE", "delete");

    private final String method;
    private final String permission;

    Verb(String method, String permission) {
      this.method = method;
      this.permission = permission;
    }

    String method() {
      return method;
    }

    String permission() {
      return permission;
    }

    boolean isRead() {
      return method.equals("GET");
    }
  }

  public ApiCall {
    options = Map.copyOf(options);
  }

  public static ApiCall get(ApiPath path, String subject) {
    return new ApiCall(Verb.GET, path, Map.of(), null, subject);
  }

  public static ApiCall list(ApiPath path, String subject) {
    return new ApiCall(Verb.LIST, path, Map.of(), null, subject);
  }

  public static ApiCall watch(ApiPath path, String subject) {
    return new ApiCall(Verb.WATCH, path, Map.of("watch", "true"), null, subject);
  }

  public static ApiCall create(ApiPath path, ObjectNode body, String subject) {
    return new ApiCall(Verb.CREATE, path, Map.of(), body, subject);
  }

  public static ApiCall update(ApiPath path, ObjectNode body, String subject) {
    return new ApiCall(Verb.UPDATE, path, Map.of(), body, subject);
  }

  public static ApiCall patch(ApiPath path, ObjectNode body, String subject) {
    return new ApiCall(Verb.PATCH, path, Map.of(), body, subject);
  }

  public static ApiCall delete(ApiPath path, ObjectNode options, String subject) {
    return new ApiCall(Verb.DELETE, path, Map.of(), options, subject);
  }

  /** Adds an option, unless its value is empty. */
  public ApiCall with(String option, String value) {
    if (value.isEmpty()) {
      return this;
    }
    Map<String, String> more = new LinkedHashMap<>(options);
    more.put(option, value);
    return new ApiCall(verb, path, more, body, subject);
  }

  public String contentType() {
    return verb == Verb.PATCH ? "application/strategic-merge-patch+json" : "application/json";
  }

  /** The verb, the resource and its name, for a trace. */
  public String describe() {
    return verb.permission() + " " + path.describe();
  }

  /** Path and options as in the HTTP request. */
  public String target() {
    String query =
        options.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(option -> option.getKey() + "=" + ApiPath.encode(option.getValue()))
            .collect(Collectors.joining("&"));
    return path.text() + (query.isEmpty() ? "" : "?" + query);
  }
}
