package io.ocicat.ipam.cluster;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The view of one request in a datastore where most of it must be read: everything is read
 * concurrently, and once for both families. Thread-safe.
 */
public final class ConcurrentClusterView implements ClusterView {
  private final ClusterView view;
  private final @Nullable String node;
  private volatile @Nullable Reads reads;

  private record Reads(
      @Nullable Prefetch<Revisioned<Map<String, String>>> labels,
      Prefetch<PoolList> pools,
      Prefetch<Reservations> reservations,
      Prefetch<Revisioned<IpamConfig>> config) {}

  /**
   * @param node the node whose labels are needed; null for none
   */
  public ConcurrentClusterView(ClusterView view, @Nullable String node) {
    this.view = view;
    this.node = node;
  }

  /** Starts reading what will be needed. */
  public void startReads() {
    reads();
  }

  private synchronized Reads reads() {
    Reads known = reads;
    if (known == null) {
      known =
          new Reads(
              node == null ? null : Prefetch.start(() -> view.labels(node)),
              Prefetch.start(view::pools),
              Prefetch.start(view::reservations),
              Prefetch.start(view::config));
      reads = known;
    }
    return known;
  }

  @Override
  public PoolList pools() {
    return reads().pools().get();
  }

  @Override
  public Reservations reservations() {
    return reads().reservations().get();
  }

  @Override
  public Revisioned<Map<String, String>> labels(String host) {
    Prefetch<Revisioned<Map<String, String>>> labels = host.equals(node) ? reads().labels() : null;
    return labels == null ? view.labels(host) : labels.get();
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    return view.areCurrent(labels);
  }

  @Override
  public Revisioned<IpamConfig> config() {
    return reads().config().get();
  }

  @Override
  public Duration cooldown() {
    return view.cooldown();
  }

  @Override
  public void invalidate() {
    view.invalidate();
    reads = null;
  }

  /** The underlying view is shared. */
  @Override
  public void close() {}
}
