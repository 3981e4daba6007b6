package io.ocicat.conformance.subject;

/** The checks could not be run: the fault of the caller or the machine, not of the plugin. */
public class ConformanceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ConformanceException(String message) {
    super(message);
  }

  public ConformanceException(String message, Throwable cause) {
    super(message, cause);
  }
}
