package io.ocicat.image;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
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
    return failed("write", file, e);
  }

  /** Something could not be done with a file of the store. */
  public static ImageException failed(String verb, Path file, Exception e) {
    return new ImageException(
        isFull(e) ? Reason.NO_SPACE : Reason.FAILED,
        "cannot %s %s: %s".formatted(verb, file, why(e)),
        e);
  }

  /** Java's exceptions often have nothing but the file's name. */
  private static String why(Exception e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied: run it as root";
      case NoSuchFileException _ -> "no such file or directory";
      case FileSystemException system when system.getReason() != null -> system.getReason();
      default -> String.valueOf(e.getMessage());
    };
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
