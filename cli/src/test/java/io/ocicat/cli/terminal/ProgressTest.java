package io.ocicat.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  private final StringWriter err = new StringWriter();
  private long now;

  @Test
  void whatIsDoneInASecondSaysNothing() {
    Progress progress = new Progress(new PrintWriter(err), "copying", 3, () -> now);
    progress.step();
    now = SECOND - 1;
    progress.step();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void whatTakesLongerSaysALineASecond() {
    Progress progress = new Progress(new PrintWriter(err), "copying", 100, () -> now);
    for (int i = 0; i < 100; i++) {
      now += SECOND / 10;
      progress.step();
    }
    assertThat(err.toString()).startsWith("copying: 10 of 100\n").hasLineCount(10);
  }
}
