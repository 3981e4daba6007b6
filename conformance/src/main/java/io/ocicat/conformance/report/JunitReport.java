package io.ocicat.conformance.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.ocicat.conformance.check.CheckVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes a report in JUnit's XML, for CI servers: a suite per topic, a test case per check. */
public final class JunitReport {
  private final StringBuilder out = new StringBuilder();
  private final ConformanceReport report;

  private JunitReport(ConformanceReport report) {
    this.report = report;
  }

  public static String of(ConformanceReport report) {
    return new JunitReport(report).write();
  }

  private String write() {
    Map<String, List<CheckFinding>> topics =
        report.findings().stream()
            .collect(groupingBy(f -> f.check().topic(), LinkedHashMap::new, toList()));
    out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.append("<testsuites ").append(counts(report.findings(), report.took())).append(">\n");
    topics.forEach(this::suite);
    return out.append("</testsuites>\n").toString();
  }

  private void suite(String topic, List<CheckFinding> findings) {
    Duration took = findings.stream().map(CheckFinding::took).reduce(Duration.ZERO, Duration::plus);
    out.append("  <testsuite name=\"%s\" %s>\n".formatted(topic, counts(findings, took)));
    findings.forEach(this::testCase);
    out.append("  </testsuite>\n");
  }

  private void testCase(CheckFinding finding) {
    out.append(
        "    <testcase classname=\"%s\" name=\"%s\" time=\"%s\""
            .formatted(
                attribute(report.subject().name() + "." + finding.check().topic()),
                attribute(finding.check().id()),
                seconds(finding.took())));
    switch (finding.verdict()) {
      case CheckVerdict.Passed _ -> out.append("/>\n");
      case CheckVerdict.NotApplicable(String why) -> skipped(why);
      case CheckVerdict.Failed failed -> {
        if (finding.outcome() == CheckOutcome.DEVIATES) {
          skipped("expected deviation: " + finding.reason());
        } else {
          failure(finding, failed);
        }
      }
    }
  }

  private void skipped(String why) {
    out.append(">\n      <skipped message=\"%s\"/>\n    </testcase>\n".formatted(attribute(why)));
  }

  private void failure(CheckFinding finding, CheckVerdict.Failed failed) {
    out.append(
        ">\n      <failure type=\"%s\" message=\"%s\">"
            .formatted(
                finding.check().severity(),
                attribute("expected %s, got %s".formatted(failed.expected(), failed.actual()))));
    out.append(
        text(
            "%s (%s)\n\n%s\n"
                .formatted(
                    finding.check().sentence(),
                    finding.check().source(),
                    String.join("\n", failed.reproduction()))));
    out.append("</failure>\n    </testcase>\n");
  }

  private static String counts(List<CheckFinding> findings, Duration took) {
    return "tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%s\""
        .formatted(
            findings.size(),
            count(findings, CheckOutcome.FAILED),
            count(findings, CheckOutcome.NOT_APPLICABLE) + count(findings, CheckOutcome.DEVIATES),
            seconds(took));
  }

  private static long count(List<CheckFinding> findings, CheckOutcome outcome) {
    return findings.stream().filter(finding -> finding.outcome() == outcome).count();
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.3f", duration.toMillis() / 1000.0);
  }

  private static String attribute(String text) {
    return text(text).replace("\"", "&quot;").replace("\n", "&#10;");
  }

  /** Characters that XML 1.0 cannot hold, not even escaped, become U+FFFD. */
  private static String text(String text) {
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '\t', '\n', '\r' -> safe.append((char) c);
                default -> safe.appendCodePoint(isXml(c) ? c : 0xfffd);
              }
            });
    return safe.toString();
  }

  private static boolean isXml(int c) {
    return (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
  }
}
