package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.cni.CniJson;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class IpamServerCommandTest {
  private static final String TOKEN = "e463937d15576af58ae7a7040807c018";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path directory;

  @BeforeEach
  void files() throws IOException {
    Files.writeString(directory.resolve("tokens"), TOKEN);
    Files.writeString(
        directory.resolve("pools.json"),
        "{\"pools\":[{\"name\":\"mynet\",\"ranges\":[{\"subnet\":\"10.9.0.0/16\"}]}]}");
  }

  /** Killed in the middle of many requests, and started again: twice. */
  @Test
  void whatWasAnsweredOutlivesAnySuddenEnd() throws Exception {
    Map<String, String> answered = new ConcurrentHashMap<>();
    for (int round = 0; round < 2; round++) {
      int from = round * 1000;
      int enough = (round + 1) * 100;
      // Closed in reverse: the server is killed first, while the others still send requests.
      try (HttpClient client = HttpClient.newHttpClient();
          ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
          Background server = start("127.0.0.1:0")) {
        String url = url(server);
        for (int i = 0; i < 400; i++) {
          String id = "c" + (from + i);
          threads.execute(() -> allocate(client, url, id).ifPresent(ip -> answered.put(id, ip)));
        }
        Eventually.await("some answers", LIMIT, () -> answered.size() >= enough);
      }
    }
    assertThat(answered.values()).doesNotHaveDuplicates();
    try (Background server = start("127.0.0.1:0");
        HttpClient client = HttpClient.newHttpClient()) {
      String url = url(server);
      answered.forEach((id, ip) -> assertThat(allocate(client, url, id)).contains(ip));
      assertThat(server.stop(LIMIT).stderr()).as("the log").doesNotContain(TOKEN);
    }
    assertThat(directory.resolve("ipam.db-wal")).as("SIGTERM closes the database").doesNotExist();
  }

  @Test
  void itListensWhereItIsTold() {
    try (Background server = start("[::1]:0")) {
      assertThat(url(server)).startsWith("http://[::1]:");
      assertThat(server.stderr()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8090",
        ":8090",
        "localhost:8090",
        "127.0.0.1",
        "127.0.0.1:x",
        "127.0.0.1:99999",
        "::1"
      })
  void anAddressIsAnAddress(String listen) {
    assertThat(run("--listen", listen))
        .isEqualTo(
            "ocicat ipam-server: --listen must be an address and a port such as 127.0.0.1:8090 or [::1]:8090, not \"%s\"; see \"ocicat ipam-server --help\""
                .formatted(listen));
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    Files.delete(directory.resolve("tokens"));
    assertThat(run())
        .startsWith("ocicat: cannot read the token file " + directory.resolve("tokens"));
    Files.writeString(directory.resolve("pools.json"), "{}");
    assertThat(run()).contains("pools.json: pools must have at least one pool");
    assertThat(run("--tls-keystore", "x")).contains("--tls-password-file");
  }

  private Background start(String listen) {
    return Command.of(
            System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            // What it unpacks there, it leaves there when it is killed.
            "-Dorg.sqlite.tmpdir=" + directory,
            // ArchUnit brings SLF4J, which would report that it has no provider.
            "-Dslf4j.internal.verbosity=ERROR",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "io.ocicat.cli.Ocicat",
            "ipam-server",
            "--listen",
            listen,
            "--db",
            directory.resolve("ipam.db").toString(),
            "--token-file",
            directory.resolve("tokens").toString(),
            "--config",
            directory.resolve("pools.json").toString())
        .start();
  }

  private static String url(Background server) {
    String line =
        Eventually.value(
            "the server to listen",
            LIMIT,
            () ->
                server.stdout().endsWith("\n")
                    ? Optional.of(server.stdout().strip())
                    : Optional.<String>empty());
    return line.substring("listening on ".length());
  }

  private static Optional<String> allocate(HttpClient client, String url, String containerId) {
    String body =
        "{\"network\":\"mynet\",\"containerId\":\"%s\",\"ifName\":\"eth0\"}".formatted(containerId);
    try {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(URI.create(url + "/v1/allocations"))
                  .timeout(LIMIT)
                  .header("Authorization", "Bearer " + TOKEN)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      JsonNode answer = CniJson.parse(response.body());
      return Optional.of(answer.at("/addresses/0/address").asString()).filter(ip -> !ip.isEmpty());
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private String run(String... options) {
    StringWriter err = new StringWriter();
    List<String> args =
        new ArrayList<>(
            List.of(
                "ipam-server",
                "--db",
                directory.resolve("ipam.db").toString(),
                "--token-file",
                directory.resolve("tokens").toString(),
                "--config",
                directory.resolve("pools.json").toString()));
    args.addAll(List.of(options));
    int code =
        Ocicat.run(
            Ocicat.commandLine(),
            new ErrorReporter(new PrintWriter(err), false),
            new PrintWriter(new StringWriter()),
            args.toArray(String[]::new));
    assertThat(code).isNotZero();
    return err.toString().strip();
  }
}
