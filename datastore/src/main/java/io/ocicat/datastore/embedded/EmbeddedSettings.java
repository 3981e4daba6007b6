package io.ocicat.datastore.embedded;

import java.time.Clock;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Settings that differ between installations and tests.
 *
 * @param durable the keys whose changes are on the disk when they are committed. Changes of all
 *     others survive the end of any process; a crash of the machine may lose the most recent of
 *     them, but always leaves a state that existed, never a mixture.
 * @param timeout how long to wait for another process's lock
 * @param history how many past revisions can be read and watched
 * @param clock decides when leases end
 */
public record EmbeddedSettings(
    Duration timeout, long history, Clock clock, Predicate<String> durable) {
  public EmbeddedSettings {
    if (timeout.isNegative() || history < 1) {
      throw new IllegalArgumentException(
          "timeout must not be negative and history at least 1: %s, %d"
              .formatted(timeout, history));
    }
  }

  public static EmbeddedSettings standard() {
    return new EmbeddedSettings(Duration.ofSeconds(10), 20_000, Clock.systemUTC(), _ -> true);
  }

  public EmbeddedSettings timeout(Duration timeout) {
    return new EmbeddedSettings(timeout, history, clock, durable);
  }

  public EmbeddedSettings history(long history) {
    return new EmbeddedSettings(timeout, history, clock, durable);
  }

  public EmbeddedSettings durable(Predicate<String> durable) {
    return new EmbeddedSettings(timeout, history, clock, durable);
  }

  public EmbeddedSettings clock(Clock clock) {
    return new EmbeddedSettings(timeout, history, clock, durable);
  }
}
