package io.ocicat.plugins.calico;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ocicat.cni.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * As much of the Kubernetes API as the plugin's own service account may use: GET of single objects,
 * and PATCH of a pod's status. Everything else is forbidden, lists above all.
 */
final class TinyApi implements AutoCloseable {
  private final HttpServer server;
  private final Map<String, ObjectNode> objects = new ConcurrentHashMap<>();
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private int revision = 100;

  private TinyApi(HttpServer server) {
    this.server = server;
  }

  static TinyApi start() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      TinyApi api = new TinyApi(server);
      server.createContext("/", api::serve);
      server.start();
      return api;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void put(String path, String object) {
    objects.put(path, (ObjectNode) Json.parse(object));
  }

  JsonNode get(String path) {
    return objects.getOrDefault(path, Json.object());
  }

  /** Method and path of every request, and what it sent. */
  List<String> seen() {
    return seen;
  }

  private synchronized void serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    seen.add("%s %s %s".formatted(exchange.getRequestMethod(), path, body).strip());
    String object = path.endsWith("/status") ? path.substring(0, path.lastIndexOf('/')) : path;
    ObjectNode found = objects.get(object);
    if (found == null) {
      boolean single = path.matches(".*/(pods|namespaces|nodes|clusterinformations)/[^/]+");
      answer(exchange, single ? 404 : 403, status(single ? 404 : 403));
    } else if (exchange.getRequestMethod().equals("PATCH")) {
      JsonNode annotations = Json.parse(body).at("/metadata/annotations");
      ObjectNode metadata = (ObjectNode) found.get("metadata");
      ObjectNode present =
          metadata.get("annotations") instanceof ObjectNode there
              ? there
              : metadata.putObject("annotations");
      annotations.forEachEntry(present::set);
      metadata.put("resourceVersion", String.valueOf(++revision));
      answer(exchange, 200, found);
    } else {
      answer(exchange, 200, found);
    }
  }

  private static ObjectNode status(int code) {
    return Json.object()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("message", code == 404 ? "not found" : "forbidden")
        .put("reason", code == 404 ? "NotFound" : "Forbidden")
        .put("code", code);
  }

  private static void answer(HttpExchange exchange, int code, JsonNode body) throws IOException {
    byte[] bytes = Json.compactBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
