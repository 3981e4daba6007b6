package io.ocicat.datastore.etcd;

import java.time.Duration;

/**
 * What may differ between installations and tests.
 *
 * @param patience how long an operation may take, with every repetition
 * @param dial how long one endpoint may take until it is connected; then the next one is tried
 * @param waitsForRefusing whether an etcd that nobody listens for may still come up: true for calls
 *     of plugins, which come when a node starts; false for commands, for which somebody waits
 */
public record EtcdSettings(Duration patience, Duration dial, boolean waitsForRefusing) {
  public EtcdSettings(Duration patience, Duration dial) {
    this(patience, dial, true);
  }

  public EtcdSettings {
    if (!patience.isPositive() || !dial.isPositive()) {
      throw new IllegalArgumentException(
          "patience and dial must be positive: %s, %s".formatted(patience, dial));
    }
  }

  public static EtcdSettings standard() {
    return new EtcdSettings(Duration.ofSeconds(10), Duration.ofSeconds(3));
  }

  public EtcdSettings patience(Duration patience) {
    return new EtcdSettings(patience, dial, waitsForRefusing);
  }

  /** Fails at once when all endpoints refuse connections. */
  public EtcdSettings forCommands() {
    return new EtcdSettings(patience, dial, false);
  }
}
