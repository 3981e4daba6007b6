package io.ocicat.conformance.check;

import java.util.List;

/** What a check found. */
public sealed interface CheckVerdict {

  record Passed() implements CheckVerdict {}

  /**
   * It did something else.
   *
   * @param reproduction shell commands that do all of it again, with the plugin's answers between
   */
  record Failed(String expected, String actual, List<String> reproduction) implements CheckVerdict {
    public Failed {
      reproduction = List.copyOf(reproduction);
    }
  }

  record NotApplicable(String why) implements CheckVerdict {}
}
