package io.ocicat.datastore.cluster;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;

/**
 * Gives each node a part of the cluster's ranges, for clusters in which no kube-controller-manager
 * does. Every failure is a {@link DatastoreException}. Thread-safe.
 */
public interface NodeCidrs {

  /** The outcome of {@link #ensure}. */
  sealed interface Allocation {}

  /**
   * The node has a part of each range.
   *
   * @param cidrs all that the Node has, in its order
   * @param overlapping parts that overlap those of another node, which somebody must have written
   *     by hand, with the name of that node
   */
  record Allocated(List<IpPrefix> cidrs, Map<IpPrefix, String> overlapping) implements Allocation {
    public Allocated {
      cidrs = List.copyOf(cidrs);
      overlapping = Map.copyOf(overlapping);
    }
  }

  /**
   * A range has no part left, and nothing was written.
   *
   * @param nodes how many other nodes have a part of it
   */
  record Exhausted(ClusterCidr range, int nodes) implements Allocation {}

  /**
   * Gives a node a part of each range of which it has none, all or nothing. Whatever the Node has,
   * inside these ranges or not, stays.
   *
   * @param ranges at most one of each family
   * @throws NotFoundException when the Node does not exist
   * @throws CorruptException when it has a range that is not one
   */
  Allocation ensure(String node, List<ClusterCidr> ranges);
}
