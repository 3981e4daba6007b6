package io.ocicat.sandbox.container.conmon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.sandbox.container.ExecResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecLogTest {
  private static ExecResult read(Path folder, String log, int most) throws IOException {
    Path file = folder.resolve("log");
    Files.writeString(file, log);
    return ExecLog.read(file, most, 0);
  }

  @Test
  void linesBecomeWhatWasWritten(@TempDir Path folder) throws IOException {
    ExecResult result =
        read(folder, "T stdout F a b\nT stderr F \nT stdout P c\nT stdout P d\nT stdout F \n", 100);
    assertThat(new String(result.stdout(), UTF_8)).isEqualTo("a b\ncd\n");
    assertThat(new String(result.stderr(), UTF_8)).isEqualTo("\n");
  }

  @Test
  void onlySoMuchIsKept(@TempDir Path folder) throws IOException {
    ExecResult result = read(folder, "T stdout F abcdef\nT stderr F ghi\n", 8);
    assertThat(new String(result.stdout(), UTF_8)).isEqualTo("abcdef\n");
    assertThat(new String(result.stderr(), UTF_8)).isEqualTo("g");
  }

  @Test
  void aLogThatWasCutIsReadAsFarAsItGoes(@TempDir Path folder) throws IOException {
    assertThat(new String(read(folder, "T stdout F whole\nT stdo", 99).stdout(), UTF_8))
        .isEqualTo("whole\n");
    assertThat(new String(read(folder, "T stdout F cut", 99).stdout(), UTF_8)).isEqualTo("cut");
    assertThat(ExecLog.read(folder.resolve("none"), 99, 3).exitCode()).isEqualTo(3);
  }
}
