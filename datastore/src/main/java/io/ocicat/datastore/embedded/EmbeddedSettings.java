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
 * @param patience how long to wait for another process's lock
 * @param history how many past revisions can be read and watched
 * @param clock decides when leases end
 */
public record EmbeddedSettings(
    Duration patience, long history, Clock clock, Predicate<String> durable) {
  public EmbeddedSettings {
    if (patience.isNegative() || history < 1) {
      throw new IllegalArgumentException(
          "patience must not be negative and history at least 1: %s, %d"
              .formatted(patience, history));
    }
  }

  public static EmbeddedSettings standard() {
    return new EmbeddedSettings(Duration.ofSeconds(10), 20_000, Clock.systemUTC(), _ -> true);
  }

  public EmbeddedSettings patience(Duration patience) {
    return new EmbeddedSettings(patience, history, clock, durable);
  }

  public EmbeddedSettings history(long history) {
    return new EmbeddedSettings(patience, history, clock, durable);
  }

  public EmbeddedSettings durable(Predicate<String> durable) {
    return new EmbeddedSettings(patience, history, clock, durable);
  }

  public EmbeddedSettings clock(Clock clock) {
    return new EmbeddedSettings(patience, history, clock, durable);
  }
}
