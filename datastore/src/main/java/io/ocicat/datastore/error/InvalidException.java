package io.ocicat.datastore.error;

import io.ocicat.base.json.Problems;
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

  /** Throws nothing when all is well; {@code what} names the document. */
  public static void throwIfAny(Problems problems, String what) {
    if (!problems.isEmpty()) {
      throw new InvalidException("%s is not valid: %s".formatted(what, problems.describe()));
    }
  }
}
