package io.ocicat.conformance.lab;

import io.ocicat.base.Quoted;

/** The plugin did not behave as expected; ends a check. */
public final class Mismatch extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String expected;
  private final String actual;

  public Mismatch(String expected, String actual) {
    super("expected " + expected + ", got " + actual, null, false, false);
    this.expected = expected;
    this.actual = Shell.isPresentable(actual) ? actual.replace('\n', ' ') : Quoted.of(actual);
  }

  public String expected() {
    return expected;
  }

  public String actual() {
    return actual;
  }
}
