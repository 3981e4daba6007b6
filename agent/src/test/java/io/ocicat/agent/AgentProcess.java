package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** An agent as a process of its own on a host, which can be killed. */
final class AgentProcess implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int KILLED = 137;

  private final Path folder;
  private final Background process;

  private AgentProcess(Path folder, Background process) {
    this.folder = folder;
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param folder for all its files
   */
  static AgentProcess start(Host host, Path folder, Map<String, String> environment) {
    try {
      Files.createDirectories(folder);
      Files.deleteIfExists(DyingPoints.passed(folder));
      Files.deleteIfExists(folder.resolve("run/agent.json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Command command =
        host.command(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                AgentMain.class.getName(),
                folder.toString())
            .env("FELIX_ENDPOINTSTATUSPATHPREFIX", folder.toString());
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    return new AgentProcess(folder, command.start());
  }

  /** Lets the agent of this folder, now or when it starts, die at a point; 0 only counts. */
  static void dieAt(Path folder, int point) {
    try {
      Files.createDirectories(folder);
      Files.deleteIfExists(DyingPoints.passed(folder));
      Path draft = folder.resolve(".die-at");
      Files.writeString(draft, Integer.toString(point));
      Files.move(draft, DyingPoints.dieAt(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void dieNowhere(Path folder) {
    try {
      Files.deleteIfExists(DyingPoints.dieAt(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The points passed since {@link #dieAt}. */
  static List<String> passed(Path folder) {
    try {
      Path passed = DyingPoints.passed(folder);
      return Files.exists(passed) ? Files.readAllLines(passed) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a report of which this is true. */
  JsonNode awaitReport(String what, Predicate<JsonNode> wanted) {
    Eventually.passes(
        LIMIT,
        () -> {
          JsonNode report = report();
          assertThat(wanted.test(report))
              .as("%s: %s, the agent says:%n%s", what, report, process.stderr())
              .isTrue();
        });
    return report();
  }

  private JsonNode report() {
    try {
      Path file = folder.resolve("run/agent.json");
      return Files.exists(file) ? CniJson.parse(Files.readAllBytes(file)) : Json.object();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String log() {
    return process.stderr();
  }

  void awaitDeath() {
    assertThat(process.await(LIMIT).exitCode()).as(process.stderr()).isEqualTo(KILLED);
  }

  @Override
  public void close() {
    process.close();
  }
}
