package io.ocicat.sandbox;

import java.util.List;

/** Why something could not be done with a pod. */
public final class SandboxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What kind of failure it is; a CRI server has a status code for each. */
  public enum Reason {
    /** The request makes no sense; nothing was done. */
    INVALID,
    NOT_FOUND,
    /** The beginning of an id that several have. */
    AMBIGUOUS,
    /** The name is taken. */
    EXISTS,
    /** It is not in the state that this needs. */
    NOT_READY,
    /** Others had it for too long. */
    BUSY,
    /** What was kept is damaged. */
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

  /** One exception that says what all say. */
  public static SandboxException joined(Reason reason, String what, List<String> failures) {
    return new SandboxException(reason, what + ": " + String.join("; ", failures));
  }

  /** The text of any failure, which may have none. */
  public static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }
}
