package io.ocicat.cri.message;

/** A message that cannot be read; the text names the field. */
public final class InvalidMessageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InvalidMessageException(String message) {
    super(message);
  }
}
