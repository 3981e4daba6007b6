package io.ocicat.testkit;

/** A test could not set up or use the machine; the message says what failed and why. */
public final class TestkitException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TestkitException(String message) {
    super(message);
  }

  TestkitException(String message, Throwable cause) {
    super(message, cause);
  }
}
