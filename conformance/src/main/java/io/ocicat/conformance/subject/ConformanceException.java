package io.ocicat.conformance.subject;

/**
 * The checks could not be run as asked: not the plugin's fault but the caller's or the machine's.
 */
public class ConformanceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ConformanceException(String message) {
    super(message);
  }

  public ConformanceException(String message, Throwable cause) {
    super(message, cause);
  }
}
