package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** The object does not exist. */
public final class NotFoundException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public NotFoundException(String message) {
    this(message, null);
  }

  public NotFoundException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
