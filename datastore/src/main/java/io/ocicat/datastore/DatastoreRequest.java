package io.ocicat.datastore;

import java.util.Locale;

/**
 * One request to the server of a datastore, with everything that made it take its time.
 *
 * @param operation in the words of the server's protocol, as {@code get pods default/web}
 * @param attempts how often it was sent
 * @param throttledNanos how much of the time it waited for this process's own rate limit
 * @param pausedNanos how much of the time it waited before it was sent again
 * @param succeeded whether it was answered with what was asked for
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
