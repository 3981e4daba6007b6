package io.ocicat.image;

/** An operation on images failed. */
public final class ImageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure; a CRI server has a status code for each. */
  public enum Reason {
    /** The name, archive or request is invalid; nothing was done. */
    INVALID,
    NOT_FOUND,
    /** The registry wants other credentials. */
    UNAUTHORIZED,
    /** The registry cannot be reached or does not answer; another try may succeed. */
    UNAVAILABLE,
    /** The content is not what its digest says, or an archive tries to leave its root. */
    REFUSED,
    /** The disk is full. */
    NO_SPACE,
    /** The caller gave up. */
    CANCELLED,
    FAILED
  }

  private final Reason reason;

  public ImageException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public ImageException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
