package io.ocicat.ipam.cluster;

import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

  /** What was read this recently counts as current. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final IpamRecords records;
  private final UncachedClusterView direct;
  private final LongSupplier nanoTime;
  private final WatchedList<PoolList> pools;
  private final WatchedList<Reservations> reservations;
  private final Map<String, WatchedList<Map<ResourceKey, Resource>>> nodes =
      new ConcurrentHashMap<>();
  private final Map<String, CachedNode> cachedNodes = new ConcurrentHashMap<>();
  private volatile @Nullable Revisioned<IpamConfig> config;
  private volatile long configReadAt;
  private volatile @Nullable Long nodesRefusedAt;

  /** A cached node. */
  private record CachedNode(Revisioned<Map<String, String>> labels, long readAt) {}

  public WatchedClusterView(IpamRecords records, LongSupplier nanoTime) {
    this.records = records;
    this.direct = new UncachedClusterView(records);
    this.nanoTime = nanoTime;
    this.pools = watched(ResourceQuery.of(Kind.IP_POOL), PoolList::of);
    this.reservations =
        watched(ResourceQuery.of(Kind.IP_RESERVATION), UncachedClusterView::toReservations);
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
    if (!records.hasTransactions()) {
      return watchedLabels(node);
    }
    return labels(node, LONGEST);
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    if (!records.hasTransactions()) {
      return true;
    }
    return labels(labels.key().name(), MOMENT).revision().equals(labels.revision());
  }

  /** Returns labels that are at most this old. */
  private Revisioned<Map<String, String>> labels(String node, Duration age) {
    CachedNode cached = cachedNodes.get(node);
    return cached == null || nanoTime.getAsLong() - cached.readAt() > age.toNanos()
        ? read(node)
        : cached.labels();
  }

  private Revisioned<Map<String, String>> read(String node) {
    cachedNodes.remove(node);
    long now = nanoTime.getAsLong();
    Revisioned<Map<String, String>> labels = direct.labels(node);
    cachedNodes.put(node, new CachedNode(labels, now));
    return labels;
  }

  /**
   * Calico's RBAC lets its plugins get a node but not list nodes: with such permissions, it is read
   * each time.
   */
  private Revisioned<Map<String, String>> watchedLabels(String node) {
    long now = nanoTime.getAsLong();
    Long refused = nodesRefusedAt;
    if (refused != null && now - refused <= LONGEST.toNanos()) {
      return direct.labels(node);
    }
    try {
      Resource known = watchedNode(node);
      // It may be new.
      return known == null ? direct.labels(node) : UncachedClusterView.labels(known);
    } catch (UnauthorizedException _) {
      nodesRefusedAt = now;
      return direct.labels(node);
    }
  }

  private @Nullable Resource watchedNode(String node) {
    return nodes
        .computeIfAbsent(
            node,
            name ->
                watched(ResourceQuery.startingWith(Kind.NODE, "", name), WatchedClusterView::byKey))
        .get()
        .get(ResourceKey.of(Kind.NODE, node));
  }

  private static Map<ResourceKey, Resource> byKey(Collection<Resource> resources) {
    Map<ResourceKey, Resource> map = new ConcurrentHashMap<>();
    resources.forEach(resource -> map.put(resource.key(), resource));
    return map;
  }

  @Override
  public Revisioned<IpamConfig> config() {
    Revisioned<IpamConfig> known = config;
    long now = nanoTime.getAsLong();
    if (known == null || !records.hasTransactions() || now - configReadAt > LONGEST.toNanos()) {
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
    nodes.values().forEach(WatchedList::invalidate);
    cachedNodes.clear();
    config = null;
  }

  @Override
  public void close() {
    pools.close();
    reservations.close();
    nodes.values().forEach(WatchedList::close);
  }
}
