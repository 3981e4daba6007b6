package io.ocicat.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Debian's etcd on loopback, with ports and a data directory of its own; a new one for each test
 * when it is registered as an extension. Tests use its JSON gateway, on a second port, to bypass
 * our own code.
 */
public class Etcd implements BeforeEachCallback, AfterEachCallback, AutoCloseable {
  private static final Duration STARTED_WITHIN = Duration.ofSeconds(60);
  private static final Duration STOPPED_WITHIN = Duration.ofSeconds(20);
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(10);
  private static final String CLUSTER = "--initial-cluster";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path parent;
  private final List<String> options;
  private final List<Integer> ports = Loopback.freePorts(3);
  private String scheme = "http";
  private @Nullable Path directory;
  private @Nullable Background process;

  /**
   * One that is not started yet.
   *
   * @param options for etcd's command line; the last of several wins
   */
  public Etcd(String... options) {
    this(Path.of(System.getProperty("java.io.tmpdir")), options);
  }

  /**
   * @param parent where its data directory is created, for tests that depend on the disk
   */
  public Etcd(Path parent, String... options) {
    this.parent = parent;
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
  public Etcd with(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /** The same, with certificates among the options. */
  public Etcd withTls(String... more) {
    scheme = "https";
    return with(more);
  }

  /**
   * Waits until it serves, unless it is a member of a cluster, which cannot before the others have
   * started: see {@link #awaitHealth}.
   */
  public Etcd start() {
    List<String> argv =
        new ArrayList<>(
            List.of(
                "etcd",
                "--data-dir",
                directory().toString(),
                "--listen-client-urls",
                url() + "," + gateway(),
                "--advertise-client-urls",
                url(),
                "--listen-peer-urls",
                peerUrl(),
                "--initial-advertise-peer-urls",
                peerUrl(),
                "--log-level",
                "error"));
    argv.addAll(options);
    boolean alone = !options.contains(CLUSTER);
    if (alone) {
      argv.addAll(List.of(CLUSTER, "default=" + peerUrl()));
    }
    process = Command.of(argv).start();
    if (alone) {
      awaitHealth();
    }
    return this;
  }

  public void awaitHealth() {
    Background started = running();
    try {
      Eventually.await("etcd to start", STARTED_WITHIN, () -> isHealthy() || !started.isAlive());
      if (!started.isAlive()) {
        throw new AssertionError("etcd ended at its start");
      }
    } catch (AssertionError e) {
      String etcdOutput = started.stderr();
      close();
      throw new AssertionError(e.getMessage() + "\n" + etcdOutput, e);
    }
  }

  private boolean isHealthy() {
    try {
      return send(HttpRequest.newBuilder(URI.create(gateway() + "/health"))).contains("true");
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  /** Kept for the next start. */
  private Path directory() {
    if (directory == null) {
      try {
        directory = Files.createTempDirectory(parent, "ocicat-etcd-");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return directory;
  }

  /** The URL for clients. */
  public String url() {
    return scheme + "://127.0.0.1:" + port();
  }

  public int port() {
    return ports.get(0);
  }

  /** The URL for other members. */
  public String peerUrl() {
    return "http://127.0.0.1:" + ports.get(1);
  }

  private String gateway() {
    return "http://127.0.0.1:" + ports.get(2);
  }

  public long pid() {
    return running().pid();
  }

  private Background running() {
    if (process == null) {
      throw new TestkitException("etcd does not run");
    }
    return process;
  }

  /** Kills it without a shutdown. */
  public void kill() {
    running().close();
    process = null;
  }

  public void restart() {
    running().stop(STOPPED_WITHIN);
    kill();
    start();
  }

  public void signal(String name) {
    Command.of("kill", "-" + name, String.valueOf(pid())).run();
  }

  /** Sends a request to the gateway, as in {@code post("auth/enable", "{}")}. */
  public JsonNode post(String path, String json) {
    return post(path, json, "");
  }

  public JsonNode post(String path, String json, String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway() + "/v3/" + path))
            .POST(HttpRequest.BodyPublishers.ofString(json));
    if (!token.isEmpty()) {
      request.header("Authorization", token);
    }
    return JSON.readTree(send(request));
  }

  private static String send(HttpRequest.Builder request) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          client.send(
              request.timeout(ANSWERED_WITHIN).build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new UncheckedIOException(new IOException("etcd answered " + response.body()));
      }
      return response.body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while asking etcd", e);
    }
  }

  @Override
  public void close() {
    if (process != null) {
      kill();
    }
    if (directory == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    directory = null;
  }
}
