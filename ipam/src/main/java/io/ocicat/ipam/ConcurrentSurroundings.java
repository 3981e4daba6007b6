package io.ocicat.ipam;

import io.ocicat.datastore.Ahead;
import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of one request, for a datastore in which most of them must be read: all of them
 * are asked for at the same time, and once for both families. Thread-safe.
 */
final class ConcurrentSurroundings implements Surroundings {
  private final Surroundings surroundings;
  private final @Nullable String node;
  private volatile @Nullable Asked asked;

  private record Asked(
      @Nullable Ahead<Known<Map<String, String>>> labels,
      Ahead<Pools> pools,
      Ahead<Reservations> reservations,
      Ahead<Known<IpamConfig>> config) {}

  /**
   * @param node whose labels are needed; null when none are
   */
  ConcurrentSurroundings(Surroundings surroundings, @Nullable String node) {
    this.surroundings = surroundings;
    this.node = node;
  }

  /** Asks now for what will be needed. */
  void ask() {
    asked();
  }

  private synchronized Asked asked() {
    Asked known = asked;
    if (known == null) {
      known =
          new Asked(
              node == null ? null : Ahead.ask(() -> surroundings.labels(node)),
              Ahead.ask(surroundings::pools),
              Ahead.ask(surroundings::reservations),
              Ahead.ask(surroundings::config));
      asked = known;
    }
    return known;
  }

  @Override
  public Pools pools() {
    return asked().pools().get();
  }

  @Override
  public Reservations reservations() {
    return asked().reservations().get();
  }

  @Override
  public Known<Map<String, String>> labels(String host) {
    Ahead<Known<Map<String, String>>> labels = host.equals(node) ? asked().labels() : null;
    return labels == null ? surroundings.labels(host) : labels.get();
  }

  @Override
  public boolean areCurrent(Known<Map<String, String>> labels) {
    return surroundings.areCurrent(labels);
  }

  @Override
  public Known<IpamConfig> config() {
    return asked().config().get();
  }

  @Override
  public Duration cooldown() {
    return surroundings.cooldown();
  }

  @Override
  public void doubt() {
    surroundings.doubt();
    asked = null;
  }

  /** The surroundings are others' as well. */
  @Override
  public void close() {}
}
