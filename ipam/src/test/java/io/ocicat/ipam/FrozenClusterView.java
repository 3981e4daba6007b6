package io.ocicat.ipam;

import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolList;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.cluster.UncachedClusterView;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A view that never refreshes by itself: everything may be as old as possible. */
final class FrozenClusterView implements ClusterView {
  private final UncachedClusterView direct;
  private final Map<String, Revisioned<Map<String, String>>> labels = new ConcurrentHashMap<>();
  private volatile @Nullable PoolList pools;
  private volatile @Nullable Reservations reservations;
  private volatile @Nullable Revisioned<IpamConfig> config;

  FrozenClusterView(IpamRecords records) {
    this.direct = new UncachedClusterView(records);
  }

  @Override
  public PoolList pools() {
    PoolList known = pools;
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
  public Revisioned<Map<String, String>> labels(String node) {
    Revisioned<Map<String, String>> known = labels.get(node);
    if (known == null) {
      known = direct.labels(node);
      labels.put(node, known);
    }
    return known;
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> known) {
    Revisioned<Map<String, String>> now = direct.labels(known.key().name());
    labels.put(known.key().name(), now);
    return now.revision().equals(known.revision());
  }

  @Override
  public Revisioned<IpamConfig> config() {
    Revisioned<IpamConfig> known = config;
    known = known == null ? direct.config() : known;
    config = known;
    return known;
  }

  @Override
  public Duration cooldown() {
    return config().value().cooldown();
  }

  @Override
  public void invalidate() {
    pools = null;
    reservations = null;
    config = null;
    labels.clear();
  }

  @Override
  public void close() {}
}
