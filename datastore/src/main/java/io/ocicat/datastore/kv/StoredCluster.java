package io.ocicat.datastore.kv;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.NodeCidrs;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodManifest;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The pods of machines without a Kubernetes API: container runtimes record them here, next to
 * Calico's keys, and remove them when the pod ends. Each is stored as its Kubernetes manifest.
 * Every namespace exists; those with labels or annotations are stored. Nodes are Calico's. Nothing
 * is known about virtual machines, not even that there are none.
 */
public final class StoredCluster implements Cluster {
  private static final String PREFIX = "/ocicat/v1/pods/";
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

  private final KeyValueDatastore datastore;
  private final KeyValueStore store;

  StoredCluster(KeyValueDatastore datastore) {
    this.datastore = datastore;
    this.store = datastore.store();
  }

  /** Records a pod, new or existing. */
  public void put(Pod pod) {
    store.commit(
        Transaction.put(
            key(pod.namespace(), pod.name()), StoredJson.compact(PodManifest.write(pod))));
  }

  /** Removes a pod, unless another one has its name by now. */
  public void remove(Pod pod) {
    String key = key(pod.namespace(), pod.name());
    Optional<KeyValue> entry = store.get(key);
    if (entry.isPresent() && read(entry.get()).uid().equals(pod.uid())) {
      store.commit(Transaction.delete(key, entry.get().modified()));
    }
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return store.get(key(namespace, name)).map(StoredCluster::read);
  }

  private static Pod read(KeyValue entry) {
    try {
      return PodManifest.read(StoredJson.parseObject(entry.value()));
    } catch (IllegalArgumentException e) {
      throw new CorruptException(
          "%s in the datastore is not the manifest of a pod: %s"
              .formatted(entry.key(), e.getMessage()),
          e);
    }
  }

  @Override
  public Optional<PodNamespace> namespace(String name) {
    return Optional.of(
        find(Kind.NAMESPACE, name)
            .map(found -> new PodNamespace(name, found.labels(), found.annotations()))
            .orElseGet(() -> new PodNamespace(name, Map.of(), Map.of())));
  }

  @Override
  public Optional<PodNode> node(String name) {
    return find(Kind.NODE, name)
        .map(
            found ->
                new PodNode(
                    name, found.labels(), found.annotations(), StoredNodeCidrs.texts(found)));
  }

  private Optional<Resource> find(Kind kind, String name) {
    try {
      return Optional.of(datastore.get(ResourceKey.of(kind, name)));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<NodeCidrs> nodeCidrs() {
    return Optional.of(new StoredNodeCidrs(datastore));
  }

  @Override
  public Optional<VirtualMachine> virtualMachine(String namespace, String name) {
    throw unknown(namespace, name);
  }

  @Override
  public Optional<VirtualMachine> virtualMachineInstance(String namespace, String name) {
    throw unknown(namespace, name);
  }

  private static UnsupportedException unknown(String namespace, String name) {
    return new UnsupportedException(
        "only the Kubernetes API knows whether virtual machine %s/%s exists"
            .formatted(namespace, name));
  }

  private static String key(String namespace, String name) {
    check("namespace", namespace);
    check("name", name);
    return PREFIX + namespace + "/" + name;
  }

  private static void check(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidException(
          "a pod's %s must be lower-case letters, digits, \"-\" and \".\", not \"%s\""
              .formatted(what, name));
    }
  }
}
