package io.ocicat.daemon;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The daemons that calls of a test started on demand. Closing kills them.
 *
 * @param folder of the test's installation
 */
record OnDemandDaemons(Path folder) implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A call that starts a daemon where none runs. */
  static Command wanted(Command call) {
    Command wanted = call.env("OCICAT_ON_DEMAND", "1");
    return call.environment().containsKey("OCICAT_ON_DEMAND_IDLE")
        ? wanted
        : wanted.env("OCICAT_ON_DEMAND_IDLE", "300");
  }

  List<String> pids() {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .map(path -> path.getFileName().toString())
          .filter(name -> name.matches("\\d+"))
          .filter(this::isOurs)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isOurs(String pid) {
    try {
      String line = Files.readString(Path.of("/proc", pid, "cmdline"));
      return line.contains("--on-demand") && line.contains(folder.toString());
    } catch (IOException _) {
      return false;
    }
  }

  /** Those that run now; a call that waits may start the next one. */
  void killAll() {
    List<String> running = pids();
    running.forEach(pid -> Command.of("kill", "-KILL", pid).attempt());
    Eventually.await(
        "the end of what was started", LIMIT, () -> pids().stream().noneMatch(running::contains));
  }

  @Override
  public void close() {
    killAll();
  }
}
