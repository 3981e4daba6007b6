package io.ocicat.conformance.report;

import io.ocicat.conformance.check.Check;
import io.ocicat.conformance.check.Verdict;
import io.ocicat.conformance.report.Deviations.Deviation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a check found about a plugin.
 *
 * @param deviation what is known about the two; null when nothing is
 */
public record Finding(Check check, Verdict verdict, @Nullable Deviation deviation, Duration took) {

  public Outcome outcome() {
    return switch (verdict) {
      case Verdict.Passed _ ->
          deviation == null || deviation.sometimes() ? Outcome.PASSED : Outcome.PASSED_UNEXPECTEDLY;
      case Verdict.Failed _ -> deviation == null ? Outcome.FAILED : Outcome.DEVIATES;
      case Verdict.NotApplicable _ -> Outcome.NOT_APPLICABLE;
    };
  }

  /** Why the plugin is known to fail the check; empty when it is not. */
  public String reason() {
    return deviation == null ? "" : deviation.why();
  }
}
