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
public record ClusterSnapshot(
    @Nullable Revisioned<Map<String, String>> node,
    PoolChoice choice,
    Reservations reservations,
    Revisioned<IpamConfig> config,
    HostBlocks host,
    long since) {

  public static ClusterSnapshot of(
      ClusterView surroundings,
      HostBlocks.Register hosts,
      AutoAssignRequest request,
      IpVersion version,
      AssignPrefetch.@Nullable Listed listed) {
    HostBlocks host = hosts.of(request.owner(), version);
    long since = listed == null ? host.now() : listed.since();
    Revisioned<Map<String, String>> node =
        request.use() == IpPool.Use.LOAD_BALANCER ? null : surroundings.labels(request.host());
    ClusterSnapshot snapshot =
        new ClusterSnapshot(
            node,
            choice(surroundings, request, version, node),
            surroundings.reservations(),
            surroundings.config(),
            host,
            since);
    if (listed != null) {
      listed.blocks().get();
    }
    return snapshot;
  }

  private static PoolChoice choice(
      ClusterView surroundings,
      AutoAssignRequest request,
      IpVersion version,
      @Nullable Revisioned<Map<String, String>> node) {
    try {
      return PoolChoice.of(
          surroundings.pools(), request, version, labels(node), request.reserved(version));
    } catch (IpamException e) {
      requireCurrent(surroundings, node);
      throw e;
    }
  }

  private static Map<String, String> labels(@Nullable Revisioned<Map<String, String>> node) {
    return node == null ? Map.of() : node.value();
  }

  private static void requireCurrent(
      ClusterView surroundings, @Nullable Revisioned<Map<String, String>> node) {
    if (node != null && !surroundings.areCurrent(node)) {
      throw new StaleViewException(node.key().describe() + " has changed");
    }
  }

  /**
   * Checks that the node has not changed.
   *
   * @throws StaleViewException when it has
   */
  public void requireCurrentNode(ClusterView surroundings) {
    requireCurrent(surroundings, node);
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
  public boolean isStrict() {
    return config.value().strictAffinity();
  }
}
