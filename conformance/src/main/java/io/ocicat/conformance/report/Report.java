package io.ocicat.conformance.report;

import io.ocicat.conformance.lab.Claims;
import io.ocicat.conformance.subject.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Everything that a run found. */
public record Report(Subject subject, Claims claims, List<Finding> findings, Duration took) {
  public Report {
    findings = List.copyOf(findings);
  }

  public List<Finding> with(Outcome outcome) {
    return findings.stream().filter(finding -> finding.outcome() == outcome).toList();
  }

  public int count(Outcome outcome) {
    return with(outcome).size();
  }

  /** Whether nothing failed but what was expected to. */
  public boolean isGood() {
    return count(Outcome.FAILED) == 0;
  }

  /** As in {@code 120 checks: 118 passed, 2 not applicable}. */
  public String summary() {
    List<String> parts = new ArrayList<>();
    parts.add(count(Outcome.PASSED) + count(Outcome.PASSED_UNEXPECTEDLY) + " passed");
    add(parts, count(Outcome.FAILED), "failed");
    add(parts, count(Outcome.DEVIATES), "expected to deviate");
    add(parts, count(Outcome.NOT_APPLICABLE), "not applicable");
    String summary = "%d checks: %s".formatted(findings.size(), String.join(", ", parts));
    int surprises = count(Outcome.PASSED_UNEXPECTEDLY);
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
