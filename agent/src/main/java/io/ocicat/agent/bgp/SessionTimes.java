package io.ocicat.agent.bgp;

import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Times of a session in whole seconds; 0 stands for BIRD's own. */
final class SessionTimes {
  /** The field in the capability has 12 bits. */
  private static final long MAX_RESTART = 4095;

  /** A hold time of 65535 is three keepalives of these. */
  private static final long MAX_KEEPALIVE = 21845;

  private static final long MILLIS = 1000;

  private SessionTimes() {}

  static long restart(@Nullable Duration time, String what, Collection<String> problems) {
    return seconds(time, MAX_RESTART, what, problems);
  }

  static long keepalive(@Nullable Duration time, String what, Collection<String> problems) {
    return seconds(time, MAX_KEEPALIVE, what, problems);
  }

  private static long seconds(
      @Nullable Duration time, long max, String what, Collection<String> problems) {
    if (time == null) {
      return 0;
    }
    long seconds = Math.round((double) time.toMillis() / MILLIS);
    if (seconds < 1 || seconds > max) {
      problems.add("%s must be 1–%d seconds, not %d: it is ignored".formatted(what, max, seconds));
      return 0;
    }
    return seconds;
  }
}
