package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The infra process of a pod, built with any C compiler (review U1). */
class PauseTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"musl-gcc", "gcc"})
  void itWaitsUntilItIsToldToEnd(String compiler) {
    Path pause = folder.resolve("pause");
    Command.of(Path.of("src/main/c/build").toAbsolutePath().toString(), pause.toString())
        .env("OCICAT_CC", compiler)
        .run();
    try (Background process = Command.of(pause.toString()).start()) {
      Eventually.await("it handles signals", LIMIT, () -> handlesSignals(process.pid()));
      assertThat(process.stop(LIMIT).exitCode()).isZero();
    }
  }

  private static boolean handlesSignals(long pid) {
    try {
      return Files.readString(Path.of("/proc/%d/status".formatted(pid)))
          .contains("SigCgt:\t0000000000014002");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
