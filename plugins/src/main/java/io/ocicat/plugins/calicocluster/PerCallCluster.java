package io.ocicat.plugins.calicocluster;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with the caches of one call: each pod and namespace is read once, whichever of the
 * call's plugins needs it, and failures are cached, too. Thread-safe.
 */
final class PerCallCluster implements Cluster {
  /**
   * The cluster of the current call on this thread, and of the plugins it delegates to in this
   * process.
   */
  static final ScopedValue<Map<DatastoreConfig, Cluster>> OF_CALL = ScopedValue.newInstance();

  private final Cluster cluster;
  private final Map<String, Answer<Pod>> pods = new ConcurrentHashMap<>();
  private final Map<String, Answer<PodNamespace>> namespaces = new ConcurrentHashMap<>();

  private record Answer<T>(Optional<T> found, @Nullable DatastoreException failure) {
    static <T> Answer<T> to(Supplier<Optional<T>> question) {
      try {
        return new Answer<>(question.get(), null);
      } catch (DatastoreException e) {
        return new Answer<>(Optional.empty(), e);
      }
    }

    Optional<T> orThrow() {
      if (failure != null) {
        throw failure;
      }
      return found;
    }
  }

  PerCallCluster(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public boolean isKubernetes() {
    return cluster.isKubernetes();
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return pods.computeIfAbsent(
            namespace + "/" + name, _ -> Answer.to(() -> cluster.pod(namespace, name)))
        .orThrow();
  }

  @Override
  public Optional<PodNamespace> namespace(String name) {
    return namespaces
        .computeIfAbsent(name, _ -> Answer.to(() -> cluster.namespace(name)))
        .orThrow();
  }

  @Override
  public Optional<PodNode> node(String name) {
    return cluster.node(name);
  }

  @Override
  public Optional<VirtualMachine> virtualMachine(String namespace, String name) {
    return cluster.virtualMachine(namespace, name);
  }

  @Override
  public Optional<VirtualMachine> virtualMachineInstance(String namespace, String name) {
    return cluster.virtualMachineInstance(namespace, name);
  }
}
