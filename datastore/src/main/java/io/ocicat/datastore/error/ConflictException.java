package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** The object has changed since it was read: read it again. */
public final class ConflictException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public ConflictException(String message) {
    this(message, null);
  }

  public ConflictException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
