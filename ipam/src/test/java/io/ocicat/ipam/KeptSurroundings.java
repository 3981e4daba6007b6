package io.ocicat.ipam;

import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Never looks again by itself: everything may be as old as can be. */
final class KeptSurroundings implements Surroundings {
  private final ReadSurroundings direct;
  private final Map<String, Known<Map<String, String>>> labels = new ConcurrentHashMap<>();
  private volatile @Nullable Pools pools;
  private volatile @Nullable Reservations reservations;
  private volatile @Nullable Known<IpamConfig> config;

  KeptSurroundings(Records records) {
    this.direct = new ReadSurroundings(records);
  }

  @Override
  public Pools pools() {
    Pools known = pools;
    known = known == null ? direct.pools() : known;
    pools = known;
    return known;
  }

  @Override
  public Reservations reservations() {
    Reservations known = reservations;
    known = known == null ? direct.reservations() : known;
    reservations = known;
    return known;
  }

  @Override
  public Known<Map<String, String>> labels(String node) {
    return labels.computeIfAbsent(node, direct::labels);
  }

  @Override
  public boolean areCurrent(Known<Map<String, String>> known) {
    Known<Map<String, String>> now = direct.labels(known.key().name());
    labels.put(known.key().name(), now);
    return now.revision().equals(known.revision());
  }

  @Override
  public Known<IpamConfig> config() {
    Known<IpamConfig> known = config;
    known = known == null ? direct.config() : known;
    config = known;
    return known;
  }

  @Override
  public Duration cooldown() {
    return config().value().cooldown();
  }

  @Override
  public void doubt() {
    pools = null;
    reservations = null;
    config = null;
    labels.clear();
  }

  @Override
  public void close() {}
}
