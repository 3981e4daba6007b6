package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** The datastore denies access: credentials are missing, wrong, expired or lack permissions. */
public final class UnauthorizedException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public UnauthorizedException(String message) {
    this(message, null);
  }

  public UnauthorizedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
