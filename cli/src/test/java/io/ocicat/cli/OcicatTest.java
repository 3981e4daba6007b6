package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.terminal.ErrorReporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class OcicatTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"--version", "version", "get -V", "pod list --version"})
  void versionNamesReleaseCommitAndJdk(String line) {
    assertThat(ocicat(line.split(" ", -1))).isZero();
    assertThat(out.toString())
        .matches("ocicat \\d+\\.\\d+\\.\\d+ \\(commit \\w+, JDK 25[\\d.]*\\)\\R");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h", "help"})
  void helpGoesToStandardOutput(String argument) {
    assertThat(ocicat(argument)).isZero();
    assertThat(out.toString())
        .startsWith("Usage: ocicat")
        .contains("--version", "See what is going on:");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void exitCodesAreInTheHelp() {
    ocicat("--help");
    assertThat(out.toString()).containsPattern("0 +done").containsPattern("2 +the command line");
    ocicat("status", "--help");
    assertThat(out.toString()).containsPattern("1 +something is not");
  }

  @Test
  void anUnknownCommandIsOneLine() {
    assertThat(ocicat("xyzzy", "--now")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("ocicat: unknown command \"xyzzy\"; see \"ocicat --help\"");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anAlmostKnownCommandIsSuggested() {
    assertThat(ocicat("hepl")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "ocicat: unknown command \"hepl\" (did you mean \"help\"?); see \"ocicat --help\"");
  }

  @Test
  void anUnknownOptionIsOneLine() {
    assertThat(ocicat("--frobnicate")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "ocicat: unknown option \"--frobnicate\"; see \"ocicat --help\"");
  }

  @Test
  void noCommandIsAMistake() {
    assertThat(ocicat()).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("ocicat: missing required subcommand; see \"ocicat --help\"");
  }

  @Test
  void aFailingCommandIsOneLineAndExitCodeOne() {
    assertThat(run(false, "fail")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("ocicat: it broke here and there");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anErrorOfTheJvmIsOneLineToo() {
    assertThat(run(false, "crash")).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("ocicat: java.lang.StackOverflowError");
  }

  @Test
  void theStackTraceIsForThoseWhoAsk() {
    assertThat(run(true, "fail")).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("ocicat: it broke here and there")
        .contains("\tat io.ocicat.cli.OcicatTest");
  }

  @Test
  void aSubcommandsMisuseNamesTheSubcommand() {
    assertThat(run(false, "fail", "extra")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "ocicat fail: unknown argument \"extra\"; see \"ocicat fail --help\"");
  }

  private int ocicat(String... args) {
    return run(false, args);
  }

  private int run(boolean debug, String... args) {
    CommandLine commandLine =
        Ocicat.commandLine().addSubcommand(new Fail()).addSubcommand(new Crash());
    ErrorReporter reporter = new ErrorReporter(new PrintWriter(err), debug);
    return Ocicat.run(commandLine, reporter, new PrintWriter(out, true), args);
  }

  @Command(name = "fail")
  static final class Fail implements Callable<Integer> {
    @Override
    public Integer call() {
      throw new IllegalStateException("it broke\n  here and there\n");
    }
  }

  @Command(name = "crash")
  static final class Crash implements Callable<Integer> {
    @Override
    public Integer call() {
      throw new StackOverflowError();
    }
  }
}
