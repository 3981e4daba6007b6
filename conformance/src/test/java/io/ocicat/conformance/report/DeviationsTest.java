package io.ocicat.conformance.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.conformance.report.Deviations.Deviation;
import io.ocicat.conformance.subject.ConformanceException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviationsTest {
  private static final Set<String> KNOWN = Set.of("del.twice", "add.twice", "version.echo");

  @Test
  void areForAllPluginsOrForSome() {
    Deviations deviations =
        Deviations.parse(
            """
            # a comment
            version.echo   the library answers with its own version

              bridge, ptp :  del.twice?  depends on the moment: not always
            macvlan: add.twice because
            """,
            KNOWN);

    assertThat(deviations.find("any", "version.echo"))
        .hasValue(
            new Deviation(
                Set.of(), "version.echo", false, "the library answers with its own version"));
    assertThat(deviations.find("ptp", "del.twice"))
        .hasValue(
            new Deviation(
                Set.of("bridge", "ptp"), "del.twice", true, "depends on the moment: not always"));
    assertThat(deviations.find("macvlan", "del.twice")).isEmpty();
    assertThat(deviations.find("macvlan", "add.twice")).isPresent();
    assertThat(deviations.find("bridge", "add.twice")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          del.thrice it does        | line 2 of the deviations: there is no check "del.thrice"
          del.twice                 | line 2 of the deviations: wants "[plugin, plugin:] check[?] reason", not "del.twice"
          bridge: del.twice         | line 2 of the deviations: there is no check "bridge:"
          """)
  void aLineThatMakesNoSenseIsNamed(String line, String message) {
    assertThatThrownBy(() -> Deviations.parse("# first\n" + line, KNOWN))
        .isInstanceOf(ConformanceException.class)
        .hasMessage(message);
  }
}
