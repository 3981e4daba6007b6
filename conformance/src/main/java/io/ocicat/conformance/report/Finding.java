package io.ocicat.conformance.report;

import io.ocicat.conformance.check.Check;
import io.ocicat.conformance.check.Verdict;
import java.time.Duration;

/**
 * What a check found about a plugin.
 *
 * @param deviation why it is known to fail this check; empty when it is not
 */
public record Finding(Check check, Verdict verdict, String deviation, Duration took) {

  public Outcome outcome() {
    boolean expected = !deviation.isEmpty();
    return switch (verdict) {
      case Verdict.Passed _ -> expected ? Outcome.PASSED_UNEXPECTEDLY : Outcome.PASSED;
      case Verdict.Failed _ -> expected ? Outcome.DEVIATES : Outcome.FAILED;
      case Verdict.NotApplicable _ -> Outcome.NOT_APPLICABLE;
    };
  }
}
