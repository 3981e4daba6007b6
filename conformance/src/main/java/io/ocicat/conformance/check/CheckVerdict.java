package io.ocicat.conformance.check;

import java.util.List;

/** The verdict of a check: passed, failed or not applicable. */
public sealed interface CheckVerdict {

  record Passed() implements CheckVerdict {}

  /**
   * It did something else.
   *
   * @param reproduction shell commands that repeat all of it, with the plugin's replies as comments
   */
  record Failed(String expected, String actual, List<String> reproduction) implements CheckVerdict {
    public Failed {
      reproduction = List.copyOf(reproduction);
    }
  }

  record NotApplicable(String why) implements CheckVerdict {}
}
