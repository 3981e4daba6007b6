package io.ocicat.sandbox;

import java.util.List;

/** An error of an operation on a pod. */
public final class SandboxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure; a CRI server has a status code for each. */
  public enum Reason {
    /** The request is invalid; nothing was done. */
    INVALID,
    NOT_FOUND,
    /** An id prefix that several sandboxes have. */
    AMBIGUOUS,
    /** The name is already in use. */
    EXISTS,
    /** It is not in the state that the operation needs. */
    NOT_READY,
    /** Other operations held it for too long. */
    BUSY,
    /** What was asked for took longer than allowed. */
    DEADLINE,
    /** Valid, but not implemented. */
    UNSUPPORTED,
    /** A stored record is damaged. */
    CORRUPT,
    FAILED
  }

  private final Reason reason;

  public SandboxException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public SandboxException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /** Joins several failures into one exception. */
  public static SandboxException joined(Reason reason, String what, List<String> failures) {
    return new SandboxException(reason, what + ": " + String.join("; ", failures));
  }

  /** Returns the text of any failure, which may have no message. */
  public static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }
}
