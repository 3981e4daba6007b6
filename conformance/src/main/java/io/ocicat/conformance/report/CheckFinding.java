package io.ocicat.conformance.report;

import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.report.Deviations.Deviation;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of one check on a plugin, compared with the known deviations.
 *
 * @param deviation what is known about the two; null when nothing is
 */
public record CheckFinding(
    ConformanceCheck check, CheckVerdict verdict, @Nullable Deviation deviation, Duration took) {

  public CheckOutcome outcome() {
    return switch (verdict) {
      case CheckVerdict.Passed _ ->
          deviation == null || deviation.sometimes()
              ? CheckOutcome.PASSED
              : CheckOutcome.PASSED_UNEXPECTEDLY;
      case CheckVerdict.Failed _ -> deviation == null ? CheckOutcome.FAILED : CheckOutcome.DEVIATES;
      case CheckVerdict.NotApplicable _ -> CheckOutcome.NOT_APPLICABLE;
    };
  }

  /** Why the plugin is known to fail the check; empty when it is not. */
  public String reason() {
    return deviation == null ? "" : deviation.why();
  }
}
