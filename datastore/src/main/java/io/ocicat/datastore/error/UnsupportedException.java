package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** This datastore does not support the operation for this kind. */
public final class UnsupportedException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public UnsupportedException(String message) {
    this(message, null);
  }

  public UnsupportedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
