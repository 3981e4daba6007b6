package io.ocicat.image.registry;

import java.io.IOException;

/** Something failed that may succeed if it is tried again: a cut connection, a busy server. */
final class TransientException extends IOException {
  private static final long serialVersionUID = 1;

  TransientException(String message) {
    super(message);
  }

  TransientException(String message, Throwable cause) {
    super(message, cause);
  }

  /** What went wrong in few words; exceptions of the network often have none. */
  static String text(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    return message == null || message.isBlank() ? name : message;
  }
}
