package io.ocicat.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The units as systemd reads them, and the daemon as it starts it: on the first call. */
class ActivatedDaemonTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int CALLERS = 8;

  @TempDir private Path directory;

  @Test
  void callersThatWereThereBeforeTheDaemonAreServed() throws Exception {
    Path run = Files.createDirectory(directory.resolve("run"));
    Path socket = run.resolve("ocicatd.sock");
    try (Background systemd = activate(run, socket)) {
      Eventually.await("the socket", LONG, () -> Files.exists(socket));
      assertThat(systemd.stderr()).as("no daemon yet").doesNotContain("serving");

      List<Future<Optional<String>>> answers = new ArrayList<>();
      try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
        for (int i = 0; i < CALLERS; i++) {
          answers.add(callers.submit(() -> new DaemonReadiness(socket).await(LONG)));
        }
      }
      for (Future<Optional<String>> answer : answers) {
        assertThat(answer.get()).isEmpty();
      }

      Output end = systemd.stop(LONG);
      assertThat(end.stderr()).contains("serving at " + socket, "stopping");
      assertThat(socket).as("the socket is systemd's, not ours to remove").exists();
    }
  }

  /** What systemd does with ocicat.socket, without systemd: it becomes the daemon when called. */
  private Background activate(Path run, Path socket) {
    return Command.of(
            "systemd-socket-activate",
            "--listen=" + socket,
            "--setenv=OCICAT_RUN_DIR=" + run,
            "--setenv=OCICAT_STATE_DIR=" + directory.resolve("state"),
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "io.ocicat.cli.Ocicat",
            "daemon")
        .start();
  }

  @Test
  void systemdUnderstandsTheUnits() throws Exception {
    Path home = directory.resolve("home");
    Machine.file(home.resolve("bin/ocicat"), "#!/bin/sh\n", "rwxr-xr-x");
    Path units = Files.createDirectory(directory.resolve("units"));
    Files.createDirectory(home.resolve("systemd"));
    for (String name : List.of("ocicat.socket", "ocicat.service", "ocicat-cri.service")) {
      Files.copy(Path.of("../dist/src/systemd", name), home.resolve("systemd").resolve(name));
    }
    for (InstallItem unit : new Distribution(home).units(units, home, false, true)) {
      unit.stage();
      unit.appear();
    }

    Output verdict =
        Command.of(
                "systemd-analyze",
                "verify",
                units.resolve("ocicat.socket").toString(),
                units.resolve("ocicat.service").toString(),
                units.resolve("ocicat-cri.service").toString())
            .run();

    assertThat(verdict.stdout() + verdict.stderr()).isEmpty();
    // Out of 10.0: it sees the machine's files and enters namespaces, so it cannot be much less.
    Command.of(
            "systemd-analyze",
            "security",
            "--offline=true",
            "--threshold=65",
            units.resolve("ocicat.service").toString())
        .run();
  }
}
