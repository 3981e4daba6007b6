package io.ocicat.datastore.embedded;

import java.time.Clock;
import java.time.Duration;

/**
 * What may differ between installations and tests.
 *
 * @param patience how long to wait for another process's lock
 * @param history how many revisions can be read and watched in retrospect
 * @param clock tells when leases end
 */
public record Settings(Duration patience, long history, Clock clock) {
  public Settings {
    if (patience.isNegative() || history < 1) {
      throw new IllegalArgumentException(
          "patience must not be negative and history at least 1: %s, %d"
              .formatted(patience, history));
    }
  }

  public static Settings standard() {
    return new Settings(Duration.ofSeconds(10), 10_000, Clock.systemUTC());
  }

  public Settings patience(Duration patience) {
    return new Settings(patience, history, clock);
  }

  public Settings history(long history) {
    return new Settings(patience, history, clock);
  }

  public Settings clock(Clock clock) {
    return new Settings(patience, history, clock);
  }
}
