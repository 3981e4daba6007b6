package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.ipam.model.IpamException;
import java.time.Duration;
import java.util.Map;

/**
 * The cluster data that IPAM needs in addition to its own records: pools, node labels, settings.
 */
public interface ClusterView extends AutoCloseable {

  PoolList pools();

  Reservations reservations();

  /**
   * Returns the labels of a node, possibly outdated.
   *
   * @throws IpamException with NO_SUCH_NODE
   */
  Revisioned<Map<String, String>> labels(String node);

  /** Whether a node's labels are unchanged; called before a request is refused because of them. */
  boolean areCurrent(Revisioned<Map<String, String>> labels);

  Revisioned<IpamConfig> config();

  /**
   * Returns how long released addresses are kept back, possibly outdated: a release is never
   * refused because of it.
   */
  Duration cooldown();

  /** Invalidates the cache after an answer turned out to be outdated. */
  void invalidate();

  @Override
  void close();
}
