package io.ocicat.datastore.etcd;

import java.time.Duration;

/**
 * Settings that differ between installations and tests.
 *
 * @param patience the timeout of an operation, with all retries
 * @param dial how long connecting to one endpoint may take before the next one is tried
 * @param waitsForRefusing whether to wait for an etcd that refuses connections to come up: true for
 *     plugin calls, which come when a node starts; false for interactive commands
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

  /** Returns settings that fail at once when all endpoints refuse connections. */
  public EtcdSettings forCommands() {
    return new EtcdSettings(patience, dial, false);
  }
}
