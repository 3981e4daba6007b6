package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Colours are for terminals, and for users who ask for them. */
class ColourTest {
  private static final String ESCAPE = "\u001b[";

  @TempDir private Path directory;
  private Path launcher;

  @BeforeEach
  void install() throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
  }

  private Command onATerminal() {
    return Command.of(
            "script", "--quiet", "--return", "--command", launcher + " --help", "/dev/null")
        .env("TERM", "xterm");
  }

  @Test
  void aTerminalHasThem() {
    assertThat(onATerminal().env("NO_COLOR", "").run().stdout()).contains(ESCAPE);
  }

  @Test
  void noColorAndDumbTerminalsHaveNone() {
    assertThat(onATerminal().env("NO_COLOR", "1").run().stdout())
        .contains("Usage: ocicat")
        .doesNotContain(ESCAPE);
    assertThat(onATerminal().env("NO_COLOR", "").env("TERM", "dumb").run().stdout())
        .doesNotContain(ESCAPE);
  }

  @Test
  void filesHaveNone() {
    assertThat(
            Command.of(launcher.toString(), "--help")
                .env("NO_COLOR", "")
                .env("TERM", "xterm")
                .run()
                .stdout())
        .doesNotContain(ESCAPE);
  }
}
