package io.ocicat.datastore.etcd;

import java.time.Duration;

/**
 * What may differ between installations and tests.
 *
 * @param patience how long an operation may take, with every repetition
 * @param dial how long one endpoint may take until it is connected; then the next one is tried
 */
public record Settings(Duration patience, Duration dial) {
  public Settings {
    if (!patience.isPositive() || !dial.isPositive()) {
      throw new IllegalArgumentException(
          "patience and dial must be positive: %s, %s".formatted(patience, dial));
    }
  }

  public static Settings standard() {
    return new Settings(Duration.ofSeconds(10), Duration.ofSeconds(3));
  }

  public Settings patience(Duration patience) {
    return new Settings(patience, dial);
  }
}
