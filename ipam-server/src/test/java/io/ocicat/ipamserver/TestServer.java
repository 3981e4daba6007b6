package io.ocicat.ipamserver;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A server on loopback with files in a directory of the test's, whose clock the test sets. */
final class TestServer implements AutoCloseable {
  static final String TOKEN = "e463937d15576af58ae7a7040807c018";
  static final Instant START = Instant.parse("2026-01-05T10:00:00Z");

  private final Path directory;
  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private IpamServer server;

  TestServer(Path directory, String pools) {
    this.directory = directory;
    write("pools.json", pools);
    write("tokens", TOKEN + "\n");
    server = start();
  }

  private IpamServer start() {
    InstantSource clock = now::get;
    return IpamServer.start(
        new IpamServer.Settings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            directory.resolve("ipam.db"),
            directory.resolve("tokens"),
            directory.resolve("pools.json"),
            null,
            clock,
            log::add));
  }

  /** Starts a new server on the old one's files. */
  void restart() {
    stop();
    server = start();
  }

  void stop() {
    server.close();
  }

  Path write(String file, String text) {
    try {
      return Files.writeString(directory.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void pass(Duration time) {
    now.updateAndGet(instant -> instant.plus(time));
  }

  InetSocketAddress address() {
    return server.address();
  }

  String url() {
    return "http://127.0.0.1:" + server.address().getPort();
  }

  List<String> log() {
    return log;
  }

  /** A response; the body is an empty object when there was none. */
  record Got(int status, JsonNode body, HttpResponse<String> response) {
    String error() {
      return body.at("/error/code").asString();
    }

    String message() {
      return body.at("/error/message").asString();
    }

    String ip() {
      return body.at("/addresses/0/address").asString();
    }
  }

  Got get(String path) {
    return send(request(path).GET());
  }

  Got delete(String path) {
    return send(request(path).DELETE());
  }

  Got post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Allocates for eth0 of a container in mynet, with further members. */
  Got allocate(String containerId, String... members) {
    ObjectNode body =
        Json.object()
            .put("network", "mynet")
            .put("containerId", containerId)
            .put("ifName", "eth0")
            .put("node", "n1");
    for (String member : members) {
      body.setAll((ObjectNode) CniJson.parse("{" + member.replace('\'', '"') + "}"));
    }
    return post("/v1/allocations", Json.compact(body));
  }

  Got release(String containerId) {
    return delete("/v1/allocations/mynet/" + containerId + "/eth0");
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url() + path))
        .timeout(Duration.ofSeconds(20))
        .header("Authorization", "Bearer " + TOKEN);
  }

  Got send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      String body = response.body();
      return new Got(
          response.statusCode(), body.isEmpty() ? Json.object() : CniJson.parse(body), response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    stop();
  }
}
