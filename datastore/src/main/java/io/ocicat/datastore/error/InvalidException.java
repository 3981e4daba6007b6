package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** The caller's object, name or revision is invalid; nothing was written. */
public final class InvalidException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public InvalidException(String message) {
    this(message, null);
  }

  public InvalidException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
