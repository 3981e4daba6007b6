package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/** The requested history is compacted: list again, and watch from that list's revision. */
public final class CompactedException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  public CompactedException(String message) {
    this(message, null);
  }

  public CompactedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
