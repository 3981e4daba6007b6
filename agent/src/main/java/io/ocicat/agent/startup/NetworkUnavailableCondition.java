package io.ocicat.agent.startup;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.NodeCondition;
import io.ocicat.datastore.error.DatastoreException;

/**
 * Kubernetes' condition NetworkUnavailable of this node, which keeps pods away from it while it is
 * true. Derived from the state of the agent each time, and written only when it differs; where
 * there is no Kubernetes API it does nothing.
 *
 * @param network who says it: Calico or Flannel
 */
public record NetworkUnavailableCondition(Cluster cluster, String node, String network) {
  private static final String TYPE = "NetworkUnavailable";

  /**
   * Makes the condition say whether the node's network works.
   *
   * @return whether it was changed
   * @throws DatastoreException when it cannot be read or written
   */
  public boolean set(boolean available) {
    NodeCondition wanted =
        available
            ? new NodeCondition(TYPE, false, network + "IsUp", network + " is running on this node")
            : new NodeCondition(
                TYPE, true, network + "IsDown", network + " is shutting down on this node");
    return cluster
        .nodeConditions()
        .filter(conditions -> !conditions.get(node, TYPE).filter(wanted::equals).isPresent())
        .map(
            conditions -> {
              conditions.set(node, wanted);
              return true;
            })
        .orElse(false);
  }
}
