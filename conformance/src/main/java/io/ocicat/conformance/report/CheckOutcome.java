package io.ocicat.conformance.report;

/** A verdict compared with what was expected. */
public enum CheckOutcome {
  PASSED("passed"),
  FAILED("FAILED"),

  /** Fails as the list of deviations says. */
  DEVIATES("deviates"),

  /** Passes although the list of deviations says otherwise. */
  PASSED_UNEXPECTEDLY("passed!"),

  NOT_APPLICABLE("n/a");

  private final String word;

  CheckOutcome(String word) {
    this.word = word;
  }

  /** For reports. */
  public String word() {
    return word;
  }
}
