package io.ocicat.conformance.report;

import io.ocicat.conformance.lab.ClaimedVersions;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The findings of a whole run. */
public record ConformanceReport(
    PluginUnderTest subject, ClaimedVersions claims, List<CheckFinding> findings, Duration took) {
  public ConformanceReport {
    findings = List.copyOf(findings);
  }

  public List<CheckFinding> with(CheckOutcome outcome) {
    return findings.stream().filter(finding -> finding.outcome() == outcome).toList();
  }

  public int count(CheckOutcome outcome) {
    return with(outcome).size();
  }

  /** Whether nothing failed except what was expected to. */
  public boolean isGood() {
    return count(CheckOutcome.FAILED) == 0;
  }

  /** As in {@code 120 checks: 118 passed, 2 not applicable}. */
  public String summary() {
    List<String> parts = new ArrayList<>();
    parts.add(count(CheckOutcome.PASSED) + count(CheckOutcome.PASSED_UNEXPECTEDLY) + " passed");
    add(parts, count(CheckOutcome.FAILED), "failed");
    add(parts, count(CheckOutcome.DEVIATES), "expected to deviate");
    add(parts, count(CheckOutcome.NOT_APPLICABLE), "not applicable");
    String summary = "%d checks: %s".formatted(findings.size(), String.join(", ", parts));
    int surprises = count(CheckOutcome.PASSED_UNEXPECTEDLY);
    return surprises == 0
        ? summary
        : summary + "; %d of the passed were expected to deviate".formatted(surprises);
  }

  private static void add(List<String> parts, int count, String what) {
    if (count > 0) {
      parts.add(count + " " + what);
    }
  }
}
