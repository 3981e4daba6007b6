package io.ocicat.datastore.cluster;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.NotFoundException;
import java.util.Optional;

/** The conditions of nodes in the Kubernetes API. Every failure is a {@link DatastoreException}. */
public interface NodeConditions {

  /**
   * Returns a condition of a node; empty when nobody has set it.
   *
   * @throws NotFoundException when the node does not exist
   */
  Optional<NodeCondition> get(String node, String type);

  /**
   * Sets a condition and leaves the others as they are.
   *
   * @throws NotFoundException when the node does not exist
   */
  void set(String node, NodeCondition condition);
}
