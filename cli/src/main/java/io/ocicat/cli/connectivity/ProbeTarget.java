package io.ocicat.cli.connectivity;

import io.ocicat.ip.IpAddress;
import java.util.List;

/**
 * Something to reach.
 *
 * @param name a node's, a pod's as namespace/name, or {@code outside}
 * @param node the node that it is or that it is on; empty when that is not known
 */
record ProbeTarget(Kind kind, String name, String node, List<IpAddress> addresses) {
  /** What it is. */
  enum Kind {
    NODE,
    POD,
    OUTSIDE
  }

  ProbeTarget {
    addresses = List.copyOf(addresses);
  }
}
