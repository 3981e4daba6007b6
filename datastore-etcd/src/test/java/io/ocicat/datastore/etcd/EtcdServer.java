package io.ocicat.datastore.etcd;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.json.Json;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import tools.jackson.databind.node.ObjectNode;

/**
 * Debian's etcd on loopback, with ports and a data directory of its own; a new one for each test
 * when it is registered as an extension. Its JSON gateway, on a port beside the one under test, is
 * the tests' way around our own code.
 */
final class EtcdServer implements BeforeEachCallback, AfterEachCallback, AutoCloseable {
  private static final Duration STARTED_WITHIN = Duration.ofSeconds(20);
  private static final Duration STOPPED_WITHIN = Duration.ofSeconds(20);

  private final List<String> options;
  private @Nullable Path directory;
  private @Nullable Background process;
  private int clientPort;
  private int adminPort;
  private int peerPort;
  private String scheme = "http";

  EtcdServer(String... options) {
    this.options = new ArrayList<>(List.of(options));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    start();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    close();
  }

  /** From the next start on. */
  EtcdServer with(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  EtcdServer withTls(String... more) {
    scheme = "https";
    return with(more);
  }

  void start() {
    Path home = prepare();
    List<String> argv = new ArrayList<>(List.of("etcd", "--data-dir", home.toString()));
    argv.addAll(
        List.of(
            "--listen-client-urls",
            url() + "," + adminUrl(),
            "--advertise-client-urls",
            url(),
            "--listen-peer-urls",
            peerUrl(),
            "--initial-advertise-peer-urls",
            peerUrl(),
            "--heartbeat-interval",
            "20",
            "--election-timeout",
            "200",
            "--log-level",
            "error"));
    argv.addAll(options);
    if (!options.contains("--initial-cluster")) {
      argv.addAll(List.of("--initial-cluster", "default=" + peerUrl()));
    }
    Background started = Command.of(argv).start();
    process = started;
    if (!options.contains("--initial-cluster")) {
      awaitHealth();
    }
  }

  void awaitHealth() {
    try {
      Eventually.await("etcd to start", STARTED_WITHIN, this::isHealthy);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + running().stderr(), e);
    }
  }

  /** Ports and directory are kept for the next start. */
  Path prepare() {
    Path known = directory;
    if (known != null) {
      return known;
    }
    try (ServerSocket a = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket b = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket c = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      clientPort = a.getLocalPort();
      adminPort = b.getLocalPort();
      peerPort = c.getLocalPort();
      known = Files.createTempDirectory("ocicat-etcd-");
      directory = known;
      return known;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isHealthy() {
    try {
      return request(HttpRequest.newBuilder(URI.create(adminUrl() + "/health"))).contains("true");
    } catch (IOException _) {
      return false;
    }
  }

  String url() {
    return scheme + "://127.0.0.1:" + clientPort;
  }

  String peerUrl() {
    return "http://127.0.0.1:" + peerPort;
  }

  private String adminUrl() {
    return "http://127.0.0.1:" + adminPort;
  }

  int port() {
    return clientPort;
  }

  long pid() {
    return running().pid();
  }

  private Background running() {
    Background known = process;
    if (known == null) {
      throw new IllegalStateException("etcd does not run");
    }
    return known;
  }

  /** Without any farewell. */
  void kill() {
    running().close();
    process = null;
  }

  void restart() {
    try (Background running = running()) {
      running.stop(STOPPED_WITHIN);
    }
    process = null;
    start();
  }

  void signal(String name) {
    Command.of("kill", "-" + name, String.valueOf(pid())).run();
  }

  /** Calls the gateway, as in {@code post("kv/compaction", "{\"revision\":\"5\"}")}. */
  ObjectNode post(String path, String json) {
    return post(path, json, "");
  }

  ObjectNode post(String path, String json, String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(adminUrl() + "/v3/" + path))
            .POST(HttpRequest.BodyPublishers.ofString(json));
    if (!token.isEmpty()) {
      request.header("Authorization", token);
    }
    try {
      return Json.parseObject(request(request));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String request(HttpRequest.Builder request) throws IOException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          client.send(
              request.timeout(Duration.ofSeconds(10)).build(),
              HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException("etcd answered " + response.body());
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** To compact what is compacted already is no mistake here, though etcd says so. */
  void compact(long revision) {
    try {
      post("kv/compaction", "{\"revision\":\"%d\",\"physical\":true}".formatted(revision));
    } catch (UncheckedIOException e) {
      if (!String.valueOf(e.getMessage()).contains("has been compacted")) {
        throw e;
      }
    }
  }

  EtcdStore open() {
    return EtcdStore.open(config(url()));
  }

  static DatastoreConfig.Etcd config(String... endpoints) {
    return new DatastoreConfig.Etcd(
        List.of(endpoints), "", "", new Secret(""), DatastoreConfig.Tls.NONE);
  }

  static DatastoreConfig.Etcd config(DatastoreConfig.Tls tls, String... endpoints) {
    return new DatastoreConfig.Etcd(List.of(endpoints), "", "", new Secret(""), tls);
  }

  @Override
  public void close() {
    if (process != null) {
      kill();
    }
    Path known = directory;
    if (known == null) {
      return;
    }
    directory = null;
    try (Stream<Path> files = Files.walk(known)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
