package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpamConfig;
import java.time.Duration;
import java.util.Map;

/** What IPAM must know beside its own records. */
public interface ClusterView extends AutoCloseable {

  PoolList pools();

  Reservations reservations();

  /**
   * The labels of a node, as they were a while ago perhaps.
   *
   * @throws IpamException with NO_SUCH_NODE
   */
  Revisioned<Map<String, String>> labels(String node);

  /** Whether a node's labels are still these: asked before something is refused because of them. */
  boolean areCurrent(Revisioned<Map<String, String>> labels);

  Revisioned<IpamConfig> config();

  /**
   * How long released addresses are kept back, as it was a while ago perhaps: to release one is
   * never refused because of it.
   */
  Duration cooldown();

  /** Something was not as it was said here: the next answers are read anew. */
  void doubt();

  @Override
  void close();
}
