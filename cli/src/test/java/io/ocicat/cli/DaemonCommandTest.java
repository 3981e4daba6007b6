package io.ocicat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.terminal.ErrorReporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that are rejected before a daemon begins to listen. */
class DaemonCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--log-format   | xml       | 2 | 'text, json'",
        "--metrics-port | x         | 2 | 'x'",
        "--metrics-port | 0         | 2 | '--metrics-port 0 is not a port'",
        "--metrics-port | 65536     | 2 | '--metrics-port 65536 is not a port'",
        "--otlp         | ftp://x:1 | 1 | '\"ftp://x:1\" is not a collector'",
      })
  void optionsThatMakeNoSenseAreOneLine(String option, String value, int exitCode, String words) {
    StringWriter err = new StringWriter();

    int code =
        Ocicat.run(
            Ocicat.commandLine(),
            new ErrorReporter(new PrintWriter(err), false),
            new PrintWriter(new StringWriter()),
            "daemon",
            option,
            value);

    assertThat(code).isEqualTo(exitCode);
    assertThat(err.toString()).contains(words).hasLineCount(1);
  }
}
