package io.ocicat.ipam.cluster;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of one request, for a datastore in which most of them must be read: all of them
 * are asked for at the same time, and once for both families. Thread-safe.
 */
public final class ConcurrentClusterView implements ClusterView {
  private final ClusterView view;
  private final @Nullable String node;
  private volatile @Nullable Asked asked;

  private record Asked(
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

  /** Asks now for what will be needed. */
  public void ask() {
    asked();
  }

  private synchronized Asked asked() {
    Asked known = asked;
    if (known == null) {
      known =
          new Asked(
              node == null ? null : Prefetch.ask(() -> view.labels(node)),
              Prefetch.ask(view::pools),
              Prefetch.ask(view::reservations),
              Prefetch.ask(view::config));
      asked = known;
    }
    return known;
  }

  @Override
  public PoolList pools() {
    return asked().pools().get();
  }

  @Override
  public Reservations reservations() {
    return asked().reservations().get();
  }

  @Override
  public Revisioned<Map<String, String>> labels(String host) {
    Prefetch<Revisioned<Map<String, String>>> labels = host.equals(node) ? asked().labels() : null;
    return labels == null ? view.labels(host) : labels.get();
  }

  @Override
  public boolean areCurrent(Revisioned<Map<String, String>> labels) {
    return view.areCurrent(labels);
  }

  @Override
  public Revisioned<IpamConfig> config() {
    return asked().config().get();
  }

  @Override
  public Duration cooldown() {
    return view.cooldown();
  }

  @Override
  public void doubt() {
    view.doubt();
    asked = null;
  }

  /** The underlying view is shared. */
  @Override
  public void close() {}
}
