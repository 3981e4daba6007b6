package io.ocicat.conformance.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A shell reads our quoted words as we meant them, byte for byte. */
class RawValueTest {
  @TempDir private Path directory;

  static List<RawValue> values() {
    return List.of(
        RawValue.of("plain"),
        RawValue.of(""),
        RawValue.of("it's \"quoted\" $HOME `id` \\n %s %d"),
        RawValue.of("two\nlines\n"),
        RawValue.of("-n"),
        RawValue.of("käfig €"),
        RawValue.of("bell \u0007 and escape \u001b[31m"),
        RawValue.raw("\u00ff\u00fe%\\'"),
        RawValue.of("a").thenRaw("\u00ff"),
        RawValue.of("[").thenRepeat("ab", 3).then("]"),
        RawValue.of("x=").thenRepeat("y", 100_000));
  }

  @ParameterizedTest
  @MethodSource("values")
  void asAWord(RawValue value) throws Exception {
    Path out = directory.resolve("out");
    run("printf %%s %s >%s".formatted(value.word(), out));
    assertThat(Files.readAllBytes(out)).isEqualTo(value.bytes());
  }

  @ParameterizedTest
  @MethodSource("values")
  void asACommand(RawValue value) throws Exception {
    Path out = directory.resolve("out");
    run("%s | cat >%s".formatted(value.command(), out));
    assertThat(Files.readAllBytes(out)).isEqualTo(value.bytes());
  }

  @ParameterizedTest
  @MethodSource("values")
  void showsNothingThatDisturbsATerminal(RawValue value) {
    assertThat(value.word() + value.command()).matches(Shell::isPresentable);
  }

  private void run(String command) throws Exception {
    Path script = Files.writeString(directory.resolve("script"), command);
    Command.of("sh", script.toString()).run();
  }
}
