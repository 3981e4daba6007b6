package io.ocicat.testkit;

/** A test could not do what it asked of the machine; the message tells what and why. */
public final class TestkitException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TestkitException(String message) {
    super(message);
  }

  TestkitException(String message, Throwable cause) {
    super(message, cause);
  }
}
