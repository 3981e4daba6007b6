package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.terminal.ErrorReporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Review U16: a newcomer finds a command by what it is for, in sentences that have an end. */
class HelpTest {
  private static final int WIDTH = 80;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void commandsAreGroupedByTaskAndEachHasOneLine() {
    ocicat("--help");

    List<String> lines = out.toString().lines().toList();
    assertThat(lines)
        .containsSubsequence(
            "See what is going on:",
            "Networks and pods:",
            "Calico resources and addresses:",
            "Install and run:",
            "For plugin developers:",
            "About ocicat itself:");
    for (String command : CommandTree.root().getSubcommands().keySet()) {
      assertThat(lines)
          .filteredOn(line -> line.startsWith("  " + command + " "))
          .as(command)
          .singleElement()
          .satisfies(line -> assertThat(line).endsWith("."));
    }
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(WIDTH));
  }

  static Stream<String> parents() {
    return CommandTree.all().entrySet().stream()
        .filter(command -> !command.getValue().getSubcommands().isEmpty())
        .map(Map.Entry::getKey);
  }

  @ParameterizedTest
  @MethodSource("parents")
  void theFirstSentenceOfEveryCommandFitsInTheList(String parent) {
    CommandLine command = Objects.requireNonNull(CommandTree.all().get(parent));
    int names =
        command.getSubcommands().values().stream()
            .mapToInt(sub -> String.join(", ", sub.getCommandSpec().names()).length())
            .max()
            .orElse(0);
    for (CommandLine sub : command.getSubcommands().values()) {
      String first = sub.getCommandSpec().usageMessage().description()[0];
      assertThat(first).endsWith(".").hasSizeLessThan(WIDTH - names - 4);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "help pod run, Usage: ocicat pod run",
    "help pod, Usage: ocicat pod",
    "help help, Usage: ocicat help",
    "help, Usage: ocicat "
  })
  void helpShowsThePageOfTheCommandItNames(String line, String usage) {
    assertThat(ocicat(line.split(" ", -1))).isZero();
    assertThat(out.toString()).startsWith(usage);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void helpForAnUnknownCommandIsAnError() {
    assertThat(ocicat("help", "pod", "inspct")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "ocicat pod: unknown command \"inspct\" (did you mean \"inspect\"?); see \"ocicat pod --help\"");
    assertThat(out.toString()).isEmpty();
  }

  /** Typed by people more often than {@code --version}. */
  @Test
  void versionIsACommandToo() {
    assertThat(ocicat("--version")).isZero();
    String option = out.toString();
    out.getBuffer().setLength(0);
    assertThat(ocicat("version")).isZero();
    assertThat(out.toString()).isEqualTo(option);
    out.getBuffer().setLength(0);
    assertThat(ocicat("version", "--json")).isZero();
    assertThat(Arrays.stream(out.toString().split("\\R", -1)).map(String::strip))
        .anySatisfy(line -> assertThat(line).matches("\"version\": \"\\d+\\.\\d+\\.\\d+\","))
        .anySatisfy(line -> assertThat(line).matches("\"commit\": \"\\w+\","))
        .anySatisfy(line -> assertThat(line).matches("\"jdk\": \"25[\\d.]*\""));
  }

  private int ocicat(String... args) {
    return Ocicat.run(
        Ocicat.commandLine(),
        new ErrorReporter(new PrintWriter(err, true), false),
        new PrintWriter(out, true),
        args);
  }
}
