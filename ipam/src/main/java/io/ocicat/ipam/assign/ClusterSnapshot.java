package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.PoolChoice;
import io.ocicat.ipam.cluster.Reservations;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A consistent snapshot of what one request depends on: pools, node, settings and the host's
 * blocks.
 *
 * @param node its labels; null for a requester that is on no node
 * @param host the requester's blocks
 * @param since when this snapshot was begun, by {@link HostBlocks#now}
 */
record ClusterSnapshot(
    @Nullable Revisioned<Map<String, String>> node,
    PoolChoice choice,
    Reservations reservations,
    Revisioned<IpamConfig> config,
    HostBlocks host,
    long since) {

  public static ClusterSnapshot of(
      ClusterView view,
      HostBlocks.Register hosts,
      AutoAssignRequest request,
      IpVersion version,
      AssignPrefetch.@Nullable Listed listed) {
    HostBlocks host = hosts.of(request.owner(), version);
    long since = listed == null ? host.now() : listed.since();
    Revisioned<Map<String, String>> node =
        request.use() == IpPool.Use.LOAD_BALANCER ? null : view.labels(request.host());
    ClusterSnapshot snapshot =
        new ClusterSnapshot(
            node,
            choice(view, request, version, node),
            view.reservations(),
            view.config(),
            host,
            since);
    if (listed != null) {
      listed.blocks().get();
    }
    return snapshot;
  }

  private static PoolChoice choice(
      ClusterView view,
      AutoAssignRequest request,
      IpVersion version,
      @Nullable Revisioned<Map<String, String>> node) {
    try {
      return PoolChoice.of(view.pools(), request, version, labels(node), request.reserved(version));
    } catch (IpamException e) {
      requireCurrent(view, node);
      throw e;
    }
  }

  private static Map<String, String> labels(@Nullable Revisioned<Map<String, String>> node) {
    return node == null ? Map.of() : node.value();
  }

  private static void requireCurrent(
      ClusterView view, @Nullable Revisioned<Map<String, String>> node) {
    if (node != null && !view.areCurrent(node)) {
      throw new StaleViewException(node.key().describe() + " has changed");
    }
  }

  /**
   * Checks that the node has not changed.
   *
   * @throws StaleViewException when it has
   */
  void requireCurrentNode(ClusterView view) {
    requireCurrent(view, node);
  }

  public Map<String, String> labels() {
    return labels(node);
  }

  /** Returns the conditions under which an address of this pool may be allocated. */
  public List<Write.Expect> conditions(Revisioned<IpPool> pool) {
    return node == null
        ? List.of(pool.asCondition(), config.asCondition())
        : List.of(pool.asCondition(), config.asCondition(), node.asCondition());
  }

  /** Whether only a block's owner may allocate from it. */
  boolean isStrict() {
    return config.value().strictAffinity();
  }
}
