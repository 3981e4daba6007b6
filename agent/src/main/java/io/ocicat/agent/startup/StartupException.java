package io.ocicat.agent.startup;

import org.jspecify.annotations.Nullable;

/**
 * A step of the start-up cannot be done now. The message is one line that names the step, why it
 * failed and what to do; the caller keeps what it has and tries again later.
 */
public final class StartupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Reason {
    /** A variable of the environment has an invalid value. */
    BAD_SETTING,
    /** No address of the node can be found. */
    NO_ADDRESS,
    /** Another node has the address. */
    DUPLICATE_ADDRESS,
    /** The cluster has no range of pods' addresses left for the node. */
    NO_POD_CIDR,
    /** The datastore cannot be reached, or refuses. */
    DATASTORE,
    /** A file cannot be written. */
    FILE
  }

  private final Reason reason;

  public StartupException(Reason reason, String message) {
    this(reason, message, null);
  }

  public StartupException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  static StartupException badSetting(String message) {
    return new StartupException(Reason.BAD_SETTING, message);
  }
}
