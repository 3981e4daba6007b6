package io.ocicat.datastore.cluster;

import io.ocicat.datastore.error.DatastoreException;
import java.util.Optional;

/**
 * Pods, their namespaces and nodes, as the Kubernetes API or a machine without one knows them, and
 * the virtual machines that some pods run. Empty answers mean that there is no such object; every
 * failure is a {@link DatastoreException}. Thread-safe.
 */
public interface Cluster {
  Optional<Pod> pod(String namespace, String name);

  Optional<PodNamespace> namespace(String name);

  Optional<PodNode> node(String name);

  /**
   * A virtual machine of KubeVirt.
   *
   * @throws io.ocicat.datastore.error.UnsupportedException when nobody here can tell
   */
  Optional<VirtualMachine> virtualMachine(String namespace, String name);

  /**
   * What a virtual machine runs as.
   *
   * @throws io.ocicat.datastore.error.UnsupportedException when nobody here can tell
   */
  Optional<VirtualMachine> virtualMachineInstance(String namespace, String name);
}
