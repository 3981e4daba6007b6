package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** A stored value cannot be read. */
public final class CorruptException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public CorruptException(String message) {
    this(message, null);
  }

  public CorruptException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
