package io.ocicat.cli.demo;

/** Why the demo cannot run, and what to do about it. */
final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super(message);
  }

  DemoException(String message, Throwable cause) {
    super(message, cause);
  }
}
