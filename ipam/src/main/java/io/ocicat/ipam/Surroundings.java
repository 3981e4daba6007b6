package io.ocicat.ipam;

import io.ocicat.datastore.model.IpamConfig;
import java.util.Map;

/** What IPAM must know beside its own records. */
interface Surroundings extends AutoCloseable {

  Pools pools();

  Reservations reservations();

  /**
   * The labels of a node.
   *
   * @throws IpamException with NO_SUCH_NODE
   */
  Map<String, String> labels(String node);

  Known<IpamConfig> config();

  /** Something was not as it was said here: the next answers are read anew. */
  void doubt();

  @Override
  void close();
}
