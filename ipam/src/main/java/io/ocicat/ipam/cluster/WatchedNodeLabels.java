package io.ocicat.ipam.cluster;

import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Node labels for datastores without transactions, kept current with watches. Calico's RBAC lets
 * its plugins get a node but not list nodes: with such permissions, the node is read each time.
 */
final class WatchedNodeLabels implements NodeLabels {
  private final IpamRecords records;
  private final UncachedClusterView direct;
  private final LongSupplier nanoTime;
  private final Map<String, WatchedList<Map<ResourceKey, Resource>>> nodes =
      new ConcurrentHashMap<>();
  private volatile @Nullable Long refusedAt;

  WatchedNodeLabels(IpamRecords records, UncachedClusterView direct, LongSupplier nanoTime) {
    this.records = records;
    this.direct = direct;
    this.nanoTime = nanoTime;
  }

  @Override
  public Revisioned<Map<String, String>> of(String node) {
    long now = nanoTime.getAsLong();
    Long refused = refusedAt;
    if (refused != null && now - refused <= WatchedClusterView.LONGEST.toNanos()) {
      return direct.labels(node);
    }
    try {
      Resource known = watched(node);
      // It may be new.
      return known == null ? direct.labels(node) : UncachedClusterView.labels(known);
    } catch (UnauthorizedException _) {
      refusedAt = now;
      return direct.labels(node);
    }
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    return true;
  }

  private @Nullable Resource watched(String node) {
    return nodes
        .computeIfAbsent(
            node,
            name ->
                new WatchedList<>(
                    records.datastore(),
                    ResourceQuery.startingWith(Kind.NODE, "", name),
                    WatchedNodeLabels::byKey,
                    nanoTime,
                    WatchedClusterView.LONGEST))
        .get()
        .get(ResourceKey.of(Kind.NODE, node));
  }

  private static Map<ResourceKey, Resource> byKey(Collection<Resource> resources) {
    Map<ResourceKey, Resource> map = new ConcurrentHashMap<>();
    resources.forEach(resource -> map.put(resource.key(), resource));
    return map;
  }

  @Override
  public void invalidate() {
    nodes.values().forEach(WatchedList::invalidate);
  }

  @Override
  public void close() {
    nodes.values().forEach(WatchedList::close);
  }
}
