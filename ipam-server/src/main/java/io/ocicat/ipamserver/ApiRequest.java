package io.ocicat.ipamserver;

import com.sun.net.httpserver.HttpExchange;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A client's HTTP request, validated as its parts are read. */
record ApiRequest(HttpExchange exchange) {
  private static final String PREFIX = "/v1/";

  String method() {
    return exchange.getRequestMethod();
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
  }

  /** Returns the decoded path segments after the prefix; empty when the prefix differs. */
  List<String> path() {
    String raw = exchange.getRequestURI().getRawPath();
    if (raw == null || !raw.startsWith(PREFIX)) {
      return List.of();
    }
    List<String> segments = new ArrayList<>();
    for (String segment : raw.substring(PREFIX.length()).split("/", -1)) {
      segments.add(decode(segment.replace("+", "%2B")));
    }
    return segments;
  }

  /**
   * Returns the query parameters.
   *
   * @throws ApiError 400 for one that is not among {@code known} or comes twice
   */
  Map<String, String> query(Set<String> known) {
    String raw = exchange.getRequestURI().getRawQuery();
    Map<String, String> parameters = new HashMap<>();
    if (raw == null || raw.isEmpty()) {
      return parameters;
    }
    for (String pair : raw.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (!known.contains(name)) {
        throw ApiError.badRequest("there is no parameter " + Quoted.brief(name));
      }
      if (parameters.put(name, value) != null) {
        throw ApiError.badRequest("the parameter %s comes twice".formatted(Quoted.brief(name)));
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ApiError.badRequest("the address of the request is malformed: " + e.getMessage());
    }
  }

  /**
   * Returns the document in the body.
   *
   * @throws ApiError 413, 415, or 400 when it is not a JSON object
   */
  ObjectNode body(int limit) throws IOException {
    String type = header("Content-Type").orElse("");
    int parameters = type.indexOf(';');
    String essence = (parameters < 0 ? type : type.substring(0, parameters)).strip();
    if (!essence.toLowerCase(Locale.ROOT).equals("application/json")) {
      throw ApiError.unsupportedMediaType(
          "the body must be application/json, not " + Quoted.brief(type));
    }
    byte[] bytes = exchange.getRequestBody().readNBytes(limit + 1);
    if (bytes.length > limit) {
      throw ApiError.tooLarge("the body must not have more than %d bytes".formatted(limit));
    }
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      throw ApiError.badRequest("the body is " + e.getMessage());
    }
    if (document instanceof ObjectNode object) {
      return object;
    }
    throw ApiError.badRequest("the body must be a JSON object");
  }
}
