package io.ocicat.ipam.gc;

import io.ocicat.ip.IpAddress;
import java.util.Set;

/**
 * The nodes and addresses that are in use in the whole cluster.
 *
 * @param nodes every node of the cluster
 * @param used every address of an endpoint, a node's tunnel or a service
 */
public record ClusterLiveness(Set<String> nodes, Set<IpAddress> used) {
  public ClusterLiveness {
    nodes = Set.copyOf(nodes);
    used = Set.copyOf(used);
  }
}
