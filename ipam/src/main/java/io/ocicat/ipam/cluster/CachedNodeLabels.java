package io.ocicat.ipam.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Node labels for datastores with transactions: every write checks that they are current. */
final class CachedNodeLabels implements NodeLabels {
  /** What was read this recently counts as current. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final UncachedClusterView direct;
  private final LongSupplier nanoTime;
  private final Map<String, CachedNode> nodes = new ConcurrentHashMap<>();

  /** A cached node. */
  private record CachedNode(Revisioned<Map<String, String>> labels, long readAt) {}

  CachedNodeLabels(UncachedClusterView direct, LongSupplier nanoTime) {
    this.direct = direct;
    this.nanoTime = nanoTime;
  }

  @Override
  public Revisioned<Map<String, String>> of(String node) {
    return labels(node, WatchedClusterView.LONGEST);
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    return labels(labels.key().name(), MOMENT).revision().equals(labels.revision());
  }

  /** Returns labels that are at most this old. */
  private Revisioned<Map<String, String>> labels(String node, Duration age) {
    CachedNode cached = nodes.get(node);
    return cached == null || nanoTime.getAsLong() - cached.readAt() > age.toNanos()
        ? read(node)
        : cached.labels();
  }

  private Revisioned<Map<String, String>> read(String node) {
    nodes.remove(node);
    long now = nanoTime.getAsLong();
    Revisioned<Map<String, String>> labels = direct.labels(node);
    nodes.put(node, new CachedNode(labels, now));
    return labels;
  }

  @Override
  public void invalidate() {
    nodes.clear();
  }

  @Override
  public void close() {}
}
