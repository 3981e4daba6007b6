package io.ocicat.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.CommandTree;
import io.ocicat.cli.Ocicat;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Review U18: output that was lost is a failure. */
class StandardOutputTest {
  private final StringWriter err = new StringWriter();

  static Stream<String> all() {
    return Stream.concat(CommandTree.all().keySet().stream(), Stream.of("ocicat help"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void helpThatFindsNoRoomFails(String command) throws IOException {
    String[] words = (command + " --help").split(" ", -1);
    String[] args = Arrays.copyOfRange(words, 1, words.length);
    if (command.equals("ocicat help")) {
      args = new String[] {"help", "pod"};
    }
    try (FileOutputStream full = new FileOutputStream("/dev/full")) {
      assertThat(run(full, args)).isEqualTo(1);
    }
    assertThat(err.toString())
        .startsWith("ocicat: cannot write to standard output: No space left on device")
        .hasLineCount(1);
  }

  @Test
  void aPipeThatIsClosedEarlyIsNotAnError() {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };

    assertThat(run(closed, "--help")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  private int run(OutputStream to, String... args) {
    StandardOutput stdout = new StandardOutput(to);
    return Ocicat.run(
        Ocicat.commandLine(),
        new ErrorReporter(new PrintWriter(err, true), false),
        stdout,
        new PrintStream(new BufferedOutputStream(stdout), true, StandardCharsets.UTF_8),
        args);
  }
}
