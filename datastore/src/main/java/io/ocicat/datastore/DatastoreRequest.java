package io.ocicat.datastore;

import java.util.Locale;

/**
 * A finished request to a datastore's server, with what contributed to its duration.
 *
 * @param operation in the words of the server's protocol, as {@code get pods default/web}
 * @param attempts how often it was sent
 * @param throttledNanos how long it waited for this process's own rate limit
 * @param pausedNanos how long it waited between attempts
 * @param succeeded whether the server returned a result
 * @param startNanos by {@link System#nanoTime}
 */
public record DatastoreRequest(
    String operation,
    int attempts,
    long throttledNanos,
    long pausedNanos,
    boolean succeeded,
    long startNanos,
    long endNanos) {

  /** For a trace: the operation, and what was unusual about it. */
  public String describe() {
    StringBuilder text = new StringBuilder(operation);
    if (!succeeded) {
      text.append(", failed");
    }
    if (attempts != 1) {
      text.append(", %d attempts".formatted(attempts));
    }
    if (pausedNanos > 0) {
      text.append(", %s between them".formatted(millis(pausedNanos)));
    }
    if (throttledNanos > 0) {
      text.append(", throttled for %s".formatted(millis(throttledNanos)));
    }
    return text.toString();
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
  }
}
