package io.ocicat.image.registry;

import java.io.IOException;

/** A transfer was cut, but had brought something: going on is worth while. */
final class ProgressException extends IOException {
  private static final long serialVersionUID = 1;

  ProgressException(String message, Throwable cause) {
    super(message, cause);
  }
}
