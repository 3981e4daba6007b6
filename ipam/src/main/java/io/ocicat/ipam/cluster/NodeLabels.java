package io.ocicat.ipam.cluster;

import java.util.Map;

/** The labels of nodes, cached for a resident process. Thread-safe. */
sealed interface NodeLabels permits CachedNodeLabels, WatchedNodeLabels {

  /** Returns the labels of a node, possibly outdated. */
  Revisioned<Map<String, String>> of(String node);

  /** Whether these are still the labels of their node. */
  boolean areCurrent(Revisioned<Map<String, String>> labels);

  void invalidate();

  void close();
}
