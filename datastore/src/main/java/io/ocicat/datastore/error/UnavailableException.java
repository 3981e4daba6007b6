package io.ocicat.datastore.error;

import org.jspecify.annotations.Nullable;

/**
 * The datastore cannot be reached, is out of space, or did not answer in time. A write may have
 * been applied nevertheless: see {@link #outcomeUnknown()}.
 */
public final class UnavailableException extends DatastoreException {
  private static final long serialVersionUID = 1L;

  private final boolean outcomeUnknown;

  private UnavailableException(String message, @Nullable Throwable cause, boolean outcomeUnknown) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /** Nothing was written. */
  public UnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /** The request was sent and its answer is lost: read before repeating it. */
  public static UnavailableException outcomeUnknown(String message, @Nullable Throwable cause) {
    return new UnavailableException(message, cause, true);
  }

  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
