package io.ocicat.image;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

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

  /** A file of the store could not be written. */
  public static ImageException unwritable(Path file, IOException e) {
    String why =
        e instanceof FileSystemException system && system.getReason() != null
            ? system.getReason()
            : String.valueOf(e.getMessage());
    return new ImageException(
        isFull(e) ? Reason.NO_SPACE : Reason.FAILED, "cannot write %s: %s".formatted(file, why), e);
  }

  /** Whether a failure came from a full disk or an exhausted quota, for which Java has no type. */
  public static boolean isFull(Exception e) {
    String text = String.valueOf(e.getMessage());
    return text.contains("No space left on device") || text.contains("quota exceeded");
  }

  public Reason reason() {
    return reason;
  }
}
