package io.ocicat.datastore.etcd;

import java.time.Duration;

/**
 * Settings that differ between installations and tests.
 *
 * @param timeout the timeout of an operation, with all retries
 * @param dial how long connecting to one endpoint may take before the next one is tried
 * @param retriesRefused whether to wait for an etcd that refuses connections to come up: true for
 *     plugin calls, which come when a node starts; false for interactive commands
 */
public record EtcdSettings(Duration timeout, Duration dial, boolean retriesRefused) {
  public EtcdSettings(Duration timeout, Duration dial) {
    this(timeout, dial, true);
  }

  public EtcdSettings {
    if (!timeout.isPositive() || !dial.isPositive()) {
      throw new IllegalArgumentException(
          "timeout and dial must be positive: %s, %s".formatted(timeout, dial));
    }
  }

  public static EtcdSettings standard() {
    return new EtcdSettings(Duration.ofSeconds(10), Duration.ofSeconds(3));
  }

  public EtcdSettings timeout(Duration timeout) {
    return new EtcdSettings(timeout, dial, retriesRefused);
  }

  /** Returns settings that fail at once when all endpoints refuse connections. */
  public EtcdSettings forCommands() {
    return new EtcdSettings(timeout, dial, false);
  }
}
