package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.Shell.Printed;
import io.ocicat.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompletionCommandTest {
  @TempDir Path directory;

  private final DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  /** Asks a real bash what it would complete. */
  private String completed(String... words) throws IOException {
    Path script = directory.resolve("completion");
    Files.writeString(script, shell.run("completion", "bash").out());
    String line = String.join(" ", words);
    return Command.of(
            "bash",
            "-c",
            "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE='%s'; COMP_POINT=%d; _complete_ocicat; echo \"${COMPREPLY[@]}\""
                .formatted(
                    script,
                    String.join(
                        " ", java.util.Arrays.stream(words).map("'%s'"::formatted).toList()),
                    words.length - 1,
                    line,
                    line.length()))
        .run()
        .stdout();
  }

  @ParameterizedTest
  @CsvSource({
    "ocicat ap,apply",
    "ocicat datastore mi,migrate",
    "ocicat get --all,--all-namespaces",
    "ocicat get ippo,ippool",
    "ocicat label worklo,workloadendpoint"
  })
  void bashCompletesCommandsOptionsAndKinds(String line, String wanted) throws IOException {
    assertThat(completed(line.split(" ", -1))).contains(wanted);
  }

  /** Types into a real zsh, which has its completion on. */
  private static final String TYPING =
      """
      zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      zpty -w shell "autoload -Uz compinit; compinit -u -d $1.dump; source $1; PS1='it is ''set> '"
      zpty -r -m shell seen '*it is set> *'
      zpty -n -w shell $'ocicat datastore mi\t'
      zpty -r -m shell seen '*migrate*'
      print -r -- "$seen"
      zpty -d shell
      """;

  @Test
  void zshCompletesByTheSameScript() throws IOException {
    Path script = directory.resolve("completion");
    Files.writeString(script, shell.run("completion", "zsh").out());
    assertThat(
            Command.of("zsh", "-f", "-c", TYPING, "zsh", script.toString())
                .env("TERM", "dumb")
                .run()
                .stdout())
        .contains("migrate");
  }

  @Test
  void otherShellsAreRefused() {
    Printed printed = shell.run("completion", "fish");
    assertThat(printed.exitCode()).isEqualTo(2);
    assertThat(printed.err()).contains("the shell must be bash or zsh").hasLineCount(1);
    assertThat(shell.run("completion", "zsh").out()).contains("bashcompinit");
  }
}
