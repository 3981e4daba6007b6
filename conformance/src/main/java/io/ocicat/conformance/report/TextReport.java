package io.ocicat.conformance.report;

import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.lab.ClaimedVersions;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints findings for people as they come: a line per check, failures in full. */
public final class TextReport {
  private static final int OUTCOME_WIDTH = 8;
  private static final String INDENT = "             ";

  private final PrintWriter out;
  private final boolean colour;
  private final int idWidth;
  private String topic = "";

  /**
   * @param checks those that will be reported, for the width of the columns
   * @param colour for terminals
   */
  public TextReport(PrintWriter out, List<ConformanceCheck> checks, boolean colour) {
    this.out = out;
    this.colour = colour;
    this.idWidth = checks.stream().mapToInt(check -> check.id().length()).max().orElse(0);
  }

  public void begin(PluginUnderTest subject, ClaimedVersions claims) {
    out.println(
        paint(Colour.BOLD, subject.name())
            + "  %s  (kind %s, speaks %s)"
                .formatted(subject.executable(), subject.profile().kind(), claims));
    out.flush();
  }

  public void found(CheckFinding finding) {
    if (!topic.equals(finding.check().topic())) {
      topic = finding.check().topic();
      out.println();
      out.println(paint(Colour.BOLD, topic));
    }
    CheckOutcome outcome = finding.outcome();
    out.println(
        "  %s  %s  %s  %s"
            .formatted(
                paint(colourOf(outcome), pad(outcome.word(), OUTCOME_WIDTH)),
                pad(finding.check().id(), idWidth),
                pad(finding.check().severity().name(), 6),
                finding.check().sentence()));
    switch (finding.verdict()) {
      case CheckVerdict.Passed _ -> {
        if (outcome == CheckOutcome.PASSED_UNEXPECTEDLY) {
          line("expected to deviate", finding.reason());
        }
      }
      case CheckVerdict.NotApplicable(String why) -> line("because", why);
      case CheckVerdict.Failed failed -> failure(finding, failed);
    }
    out.flush();
  }

  public void end(ConformanceReport report) {
    out.println();
    out.println(
        paint(
            report.isGood() ? Colour.GREEN : Colour.RED,
            String.format(
                Locale.ROOT,
                "%s: %s, in %.1f s",
                report.subject().name(),
                report.summary(),
                report.took().toMillis() / 1000.0)));
    out.flush();
  }

  private void failure(CheckFinding finding, CheckVerdict.Failed failed) {
    if (finding.outcome() == CheckOutcome.DEVIATES) {
      line("because", finding.reason());
      return;
    }
    line("see", finding.check().source());
    line("expected", failed.expected());
    line("got", failed.actual());
    out.println(INDENT + paint(Colour.DIM, "to reproduce, as root:"));
    failed.reproduction().forEach(command -> out.println(INDENT + "  " + command));
  }

  private void line(String label, String text) {
    out.println(INDENT + paint(Colour.DIM, label) + " " + text);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static Colour colourOf(CheckOutcome outcome) {
    return switch (outcome) {
      case PASSED -> Colour.GREEN;
      case FAILED -> Colour.RED;
      case DEVIATES, PASSED_UNEXPECTEDLY -> Colour.YELLOW;
      case NOT_APPLICABLE -> Colour.DIM;
    };
  }

  private String paint(Colour wanted, String text) {
    return colour ? "\u001b[%dm%s\u001b[0m".formatted(wanted.code, text) : text;
  }

  /** ECMA-48, select graphic rendition. */
  private enum Colour {
    BOLD(1),
    DIM(2),
    RED(31),
    GREEN(32),
    YELLOW(33);

    private final int code;

    Colour(int code) {
      this.code = code;
    }
  }
}
