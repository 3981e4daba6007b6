package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches pools, node labels and settings, and keeps them current with watches.
 *
 * <p>How old can an answer be? A change is known as soon as the watch delivers it, mostly within
 * milliseconds. A watch may be cut off without noticing, so nothing is used for longer than {@link
 * #LONGEST} without a new list. With transactions, this does not matter for an address's pool, the
 * node and the settings: they are conditions of the write, and node and settings are not watched at
 * all. Without transactions, the node is watched, and settings, which cannot be watched, are read
 * each time.
 */
public final class WatchedClusterView implements ClusterView {
  /** How long a list is used without being read again. */
  public static final Duration LONGEST = Duration.ofSeconds(30);

  private final IpamRecords records;
  private final UncachedClusterView direct;
  private final LongSupplier nanoTime;
  private final WatchedList<PoolList> pools;
  private final WatchedList<Reservations> reservations;
  private final NodeLabels labels;
  private final Duration configMaxAge;
  private volatile @Nullable Revisioned<IpamConfig> config;
  private volatile long configReadAt;

  public WatchedClusterView(IpamRecords records, LongSupplier nanoTime) {
    this.records = records;
    this.direct = new UncachedClusterView(records);
    this.nanoTime = nanoTime;
    this.pools = watched(ResourceQuery.of(Kind.IP_POOL), PoolList::of);
    this.reservations =
        watched(ResourceQuery.of(Kind.IP_RESERVATION), UncachedClusterView::toReservations);
    if (records.datastore().hasTransactions()) {
      this.labels = new CachedNodeLabels(direct, nanoTime);
      this.configMaxAge = LONGEST;
    } else {
      this.labels = new WatchedNodeLabels(records, direct, nanoTime);
      this.configMaxAge = Duration.ZERO;
    }
  }

  private <T> WatchedList<T> watched(ResourceQuery query, WatchedList.View<T> view) {
    return new WatchedList<>(records.datastore(), query, view, nanoTime, LONGEST);
  }

  @Override
  public PoolList pools() {
    return pools.get();
  }

  @Override
  public Reservations reservations() {
    return reservations.get();
  }

  @Override
  public Revisioned<Map<String, String>> labels(String node) {
    return labels.of(node);
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> known) {
    return labels.areCurrent(known);
  }

  @Override
  public Revisioned<IpamConfig> config() {
    Revisioned<IpamConfig> known = config;
    long now = nanoTime.getAsLong();
    if (known == null || configMaxAge.isZero() || now - configReadAt > configMaxAge.toNanos()) {
      known = direct.config();
      configReadAt = now;
      config = known;
    }
    return known;
  }

  /** Settings cannot be watched, and reading them for each release is not worth a round trip. */
  @Override
  public Duration cooldown() {
    Revisioned<IpamConfig> known = config;
    return known == null || nanoTime.getAsLong() - configReadAt > LONGEST.toNanos()
        ? config().value().cooldown()
        : known.value().cooldown();
  }

  @Override
  public void invalidate() {
    pools.invalidate();
    reservations.invalidate();
    labels.invalidate();
    config = null;
  }

  @Override
  public void close() {
    pools.close();
    reservations.close();
    labels.close();
  }
}
