package io.ocicat.agent.startup;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.NodeCondition;
import io.ocicat.datastore.error.DatastoreException;

/**
 * Kubernetes' condition NetworkUnavailable of this node, which keeps pods away from it while it is
 * true. Derived from the state of the agent each time, and written only when it differs; where
 * there is no Kubernetes API it does nothing.
 */
public record NetworkUnavailableCondition(Cluster cluster, String node) {
  private static final String TYPE = "NetworkUnavailable";
  private static final NodeCondition UP =
      new NodeCondition(TYPE, false, "CalicoIsUp", "Calico is running on this node");
  private static final NodeCondition DOWN =
      new NodeCondition(TYPE, true, "CalicoIsDown", "Calico is shutting down on this node");

  /**
   * Makes the condition say whether the node's network works.
   *
   * @return whether it was changed
   * @throws DatastoreException when it cannot be read or written
   */
  public boolean set(boolean available) {
    NodeCondition wanted = available ? UP : DOWN;
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
