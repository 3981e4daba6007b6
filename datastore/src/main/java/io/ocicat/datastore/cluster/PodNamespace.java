package io.ocicat.datastore.cluster;

import java.util.Map;

/** A Kubernetes namespace. */
public record PodNamespace(
    String name, Map<String, String> labels, Map<String, String> annotations) {
  public PodNamespace {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }
}
