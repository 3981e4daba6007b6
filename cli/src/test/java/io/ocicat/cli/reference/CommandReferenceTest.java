package io.ocicat.cli.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CommandReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/commands.md");
  private static final String REWRITE =
      "./mvn25 -pl cli -am -Dtest=CommandReferenceTest -Docicat.docs=write"
          + " -Dsurefire.failIfNoSpecifiedTests=false verify";

  @Test
  void thePageSaysWhatTheCommandsSay() throws IOException {
    String wanted = CommandPage.write(REWRITE);
    if (System.getProperty("ocicat.docs", "").equals("write")) {
      Files.writeString(PAGE, wanted);
    }
    assertThat(Files.readString(PAGE))
        .as("docs/reference/commands.md is out of date, rewrite it: " + REWRITE)
        .isEqualTo(wanted);
  }
}
