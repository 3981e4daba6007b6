package io.ocicat.datastore.cluster;

import io.ocicat.datastore.DatastoreException;
import java.util.Optional;

/**
 * Pods, their namespaces and nodes, as the Kubernetes API or a machine without one knows them.
 * Empty answers mean that there is no such object; every failure is a {@link DatastoreException}.
 * Thread-safe.
 */
public interface Cluster {
  Optional<Pod> pod(String namespace, String name);

  Optional<PodNamespace> namespace(String name);

  Optional<PodNode> node(String name);
}
