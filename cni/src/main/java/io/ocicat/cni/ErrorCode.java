package io.ocicat.cni;

/**
 * The code of a CNI error. The specification defines 0–99; plugins choose theirs from 100 on (an
 * error without a code of its own gets 999).
 */
public record ErrorCode(int value) {
  public static final ErrorCode UNKNOWN = new ErrorCode(0);

  /** The plugin does not support the configuration's version, or that version lacks the verb. */
  public static final ErrorCode INCOMPATIBLE_VERSION = new ErrorCode(1);

  /** The message names the field and its value. */
  public static final ErrorCode UNSUPPORTED_FIELD = new ErrorCode(2);

  /** The container is unknown: the runtime need not clean up. */
  public static final ErrorCode UNKNOWN_CONTAINER = new ErrorCode(3);

  public static final ErrorCode INVALID_ENVIRONMENT = new ErrorCode(4);
  public static final ErrorCode IO_FAILURE = new ErrorCode(5);
  public static final ErrorCode DECODING_FAILURE = new ErrorCode(6);
  public static final ErrorCode INVALID_NETWORK_CONFIG = new ErrorCode(7);
  public static final ErrorCode INVALID_NETNS = new ErrorCode(8);

  /** A temporary failure: the runtime should try again. */
  public static final ErrorCode TRY_AGAIN_LATER = new ErrorCode(11);

  /** STATUS: cannot serve ADD. */
  public static final ErrorCode PLUGIN_NOT_AVAILABLE = new ErrorCode(50);

  /** STATUS: cannot serve ADD, and containers may have lost some of their connectivity. */
  public static final ErrorCode LIMITED_CONNECTIVITY = new ErrorCode(51);

  public static final ErrorCode INTERNAL = new ErrorCode(999);

  public ErrorCode {
    if (value < 0) {
      throw new IllegalArgumentException("a CNI error code must not be negative: " + value);
    }
  }

  @Override
  public String toString() {
    return Integer.toString(value);
  }
}
