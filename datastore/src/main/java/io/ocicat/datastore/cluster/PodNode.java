package io.ocicat.datastore.cluster;

import java.util.List;
import java.util.Map;

/**
 * A node that runs pods.
 *
 * @param podCidrs the ranges of its pods' addresses, as written
 */
public record PodNode(
    String name,
    Map<String, String> labels,
    Map<String, String> annotations,
    List<String> podCidrs) {
  public PodNode {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
    podCidrs = List.copyOf(podCidrs);
  }
}
