package io.ocicat.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaterfallTest {
  /** Review R16. */
  @Test
  void textOfOthersCannotControlTheTerminal() {
    StringWriter out = new StringWriter();
    new Waterfall(false, 200)
        .print(
            List.of(new Waterfall.Line("plugin", "34", "a\u001b[2Jb", 0, 0, 1)),
            1,
            new PrintWriter(out));
    assertThat(out.toString()).contains("a\\x1b[2Jb").doesNotContain("\u001b");
  }
}
