package io.ocicat.cli.connectivity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The results of all nodes together. */
class ConnectivityMatrixTest {
  private static PairResult fine(String from, String to) {
    return new PairResult(from, to, true, "", "", 73, 1450, List.of());
  }

  private static PairResult failed(String from, String to, String reason, String cause) {
    return new PairResult(from, to, false, reason, cause, 0, 0, List.of());
  }

  @Test
  void aResultSurvivesItsJson() {
    PairResult pair =
        new PairResult(
            "shop/web",
            "node-2",
            false,
            "no answer",
            "fdb",
            12,
            1400,
            List.of(new PairResult.AddressResult("192.0.2.12", false, 12, 1400, "stalled")));
    assertThat(PairResult.read(pair.toJson())).isEqualTo(pair);
  }

  @Test
  void theOtherEndExplainsWhatThisOneCannot() {
    ConnectivityMatrix matrix =
        new ConnectivityMatrix(
                List.of(
                    failed("a/web", "a/db", "no answer", ""),
                    failed("a/db", "a/web", "no route (on node-2)", "host-route"),
                    failed("a/web", "node-3", "no answer", "")))
            .explainedByBothEnds();
    assertThat(matrix.pairs())
        .containsExactly(
            failed("a/web", "a/db", "no route (on node-2)", "host-route"),
            failed("a/db", "a/web", "no route (on node-2)", "host-route"),
            failed("a/web", "node-3", "no answer", ""));
    assertThat(matrix.isComplete()).isFalse();
  }

  @Test
  void podsComeFirstAndFailuresOfOneCauseTogether() {
    StringWriter text = new StringWriter();
    new ConnectivityMatrix(
            List.of(
                fine("node-1", "outside"),
                fine("node-1", "a/web"),
                failed("a/web", "node-1", "no answer", ""),
                failed("a/web", "outside", "no answer", "")))
        .print(new PrintWriter(text, true));
    assertThat(text.toString().lines().map(String::stripTrailing))
        .containsExactly(
            "FROM \\ TO   a/web       node-1   outside",
            "a/web       ·           FAILS    FAILS",
            "node-1      0.07/1450   ·        0.07/1450",
            "",
            "2 of 4 pairs fail:",
            "  no answer",
            "    a/web → node-1, a/web → outside");
  }
}
