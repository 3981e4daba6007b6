package io.ocicat.agent.flannel;

import org.jspecify.annotations.Nullable;

/**
 * Flannel's part of the agent cannot go on now. The message is one line that says what is wrong and
 * what to do; what is in force stays, and the step is tried again.
 */
final class FlannelException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FlannelException(String message) {
    this(message, null);
  }

  FlannelException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
