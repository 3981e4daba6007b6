package io.ocicat.datastore.cluster;

import io.ocicat.datastore.error.DatastoreException;
import java.util.List;
import java.util.Optional;

/**
 * Pods, their namespaces and nodes, as the Kubernetes API or a machine without one knows them, and
 * the virtual machines that some pods run. An empty result means that the object does not exist;
 * every failure is a {@link DatastoreException}. Thread-safe.
 */
public interface Cluster {
  /**
   * Whether it is Kubernetes, which has profiles for its namespaces and service accounts; elsewhere
   * nobody may have stored them.
   */
  default boolean isKubernetes() {
    return false;
  }

  Optional<Pod> pod(String namespace, String name);

  Optional<PodNamespace> namespace(String name);

  Optional<PodNode> node(String name);

  /**
   * Returns a KubeVirt VirtualMachine.
   *
   * @throws io.ocicat.datastore.error.UnsupportedException when this cluster cannot know
   */
  Optional<VirtualMachine> virtualMachine(String namespace, String name);

  /**
   * Returns a KubeVirt VirtualMachineInstance.
   *
   * @throws io.ocicat.datastore.error.UnsupportedException when this cluster cannot know
   */
  Optional<VirtualMachine> virtualMachineInstance(String namespace, String name);

  /**
   * Returns the ranges of pods' addresses that the cluster was set up with, as written; none when
   * that is not known.
   */
  default List<String> podSubnets() {
    return List.of();
  }

  /** Who gives nodes their ranges of pods' addresses, where Kubernetes does not. */
  default Optional<NodeCidrs> nodeCidrs() {
    return Optional.empty();
  }

  /** The conditions of nodes, if this cluster has them. */
  default Optional<NodeConditions> nodeConditions() {
    return Optional.empty();
  }

  /** The Secrets, if this cluster has them. */
  default Optional<ClusterSecrets> secrets() {
    return Optional.empty();
  }
}
