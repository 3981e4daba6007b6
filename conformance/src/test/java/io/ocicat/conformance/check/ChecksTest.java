package io.ocicat.conformance.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.subject.PluginKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ChecksTest {
  private static final Path DOCUMENT = Path.of("../docs/conformance.md");
  private static final String BEGIN = "<!-- The checks: kept true by ChecksTest -->\n";
  private static final String END = "<!-- End of the checks -->";

  @Test
  void idsAreUniqueAndTopicsStayTogether() {
    List<String> ids = Checks.all().stream().map(ConformanceCheck::id).toList();
    assertThat(ids).doesNotHaveDuplicates();

    List<String> runs = new java.util.ArrayList<>();
    for (ConformanceCheck check : Checks.all()) {
      if (runs.isEmpty() || !runs.getLast().equals(check.topic())) {
        runs.add(check.topic());
      }
    }
    assertThat(runs).doesNotHaveDuplicates();
  }

  @Test
  void sentencesReadBehindThePlugin() {
    assertThat(Checks.all())
        .extracting(ConformanceCheck::sentence)
        .allSatisfy(sentence -> assertThat(sentence).matches("[a-z].*[^.]"));
  }

  /** To write it again: -Docicat.docs=write. */
  @Test
  void theDocumentListsThem() throws IOException {
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);
    assertThat(document).contains(BEGIN, END);
    if ("write".equals(System.getProperty("ocicat.docs"))) {
      Files.writeString(DOCUMENT, document.substring(0, begin) + table() + document.substring(end));
    } else {
      assertThat(document.substring(begin, end)).isEqualTo(table());
    }
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| check | | a plugin that passes … | for | from |\n");
    table.append("|---|---|---|---|---|\n");
    for (ConformanceCheck check : Checks.all()) {
      table.append(
          "| `%s` | %s | %s | %s | %s |\n"
              .formatted(
                  check.id(),
                  check.severity(),
                  check.sentence().replace("|", "\\|").replace("<", "&lt;"),
                  concerns(check),
                  check.source()));
    }
    return table.toString();
  }

  private static String concerns(ConformanceCheck check) {
    String kinds =
        check.kinds().size() == PluginKind.values().length
            ? "all"
            : check.kinds().stream()
                .sorted()
                .map(PluginKind::toString)
                .collect(Collectors.joining(", "));
    return check.since() == SpecVersion.V0_1_0 ? kinds : kinds + " ≥ " + check.since();
  }
}
