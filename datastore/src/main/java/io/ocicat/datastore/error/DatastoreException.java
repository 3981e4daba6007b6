package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/**
 * An error of a datastore. Callers decide by the type; the message is one line for a person, naming
 * the object, what is wrong and what to do.
 */
public abstract sealed class DatastoreException extends RuntimeException
    permits CompactedException,
        ConflictException,
        CorruptException,
        ExistsException,
        InvalidException,
        NotFoundException,
        UnauthorizedException,
        UnavailableException,
        UnsupportedException {
  private static final long serialVersionUID = 1L;

  public DatastoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
