package io.ocicat.plugins.calico;

import io.ocicat.cni.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.Kind;
import io.ocicat.datastore.NotFoundException;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kv.StoredCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A datastore of a test: how configurations name it, and a way around the plugin to look at it. */
final class Store implements AutoCloseable {
  private static final List<Kind> KINDS =
      List.of(
          Kind.WORKLOAD_ENDPOINT,
          Kind.PROFILE,
          Kind.IP_POOL,
          Kind.CLUSTER_INFORMATION,
          Kind.NODE,
          Kind.IPAM_BLOCK,
          Kind.BLOCK_AFFINITY,
          Kind.IPAM_HANDLE);

  private final ObjectNode members;
  private final Map<String, String> environment;
  private final Datastores datastores = new Datastores();

  private Store(ObjectNode members, Map<String, String> environment) {
    this.members = members;
    this.environment = environment;
  }

  static Store embedded(Path directory) {
    return new Store(
        Json.object().put("datastore_type", "embedded"),
        Map.of("OCICAT_STATE_DIR", directory.toString()));
  }

  static Store etcd(String url) {
    return new Store(
        Json.object().put("datastore_type", "etcdv3").put("etcd_endpoints", url), Map.of());
  }

  static Store kubernetes(String url) {
    ObjectNode members = Json.object().put("datastore_type", "kubernetes");
    members.putObject("kubernetes").put("k8s_api_root", url);
    return new Store(members, Map.of());
  }

  ObjectNode members() {
    return members.deepCopy();
  }

  Map<String, String> environment() {
    return environment;
  }

  Datastores datastores() {
    return datastores;
  }

  Datastore open() {
    return datastores.of(DatastoreConfig.ofCniConfig(members, environment));
  }

  /** As calico/node leaves it: empty, and ready. */
  void reset() {
    for (Kind kind : KINDS) {
      for (Resource resource : open().list(Query.of(kind)).items()) {
        if (!resource.key().name().equals("projectcalico-default-allow")) {
          open().delete(resource.key(), null);
        }
      }
    }
    ready(true);
  }

  void ready(boolean ready) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");
    remove(key);
    open().create(Resource.of(key, spec -> spec.put("datastoreReady", ready)));
  }

  void remove(ResourceKey key) {
    try {
      open().delete(key, null);
    } catch (NotFoundException _) {
      // As it should be.
    }
  }

  void pool(String name, String cidr, boolean natOutgoing) {
    open()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> spec.put("cidr", cidr).put("natOutgoing", natOutgoing)));
  }

  void put(Pod pod) {
    ((StoredCluster) open().cluster()).put(pod);
  }

  static Pod pod(String namespace, String name, Map<String, String> annotations) {
    return new Pod(
        namespace,
        name,
        "uid-" + name,
        Map.of("app", name),
        annotations,
        "default",
        name + "-",
        "",
        List.of(new Pod.Port("http", "TCP", 8080, 0, ""), new Pod.Port("", "TCP", 9090, 0, "")));
  }

  List<Resource> endpoints() {
    return open().list(Query.of(Kind.WORKLOAD_ENDPOINT)).items();
  }

  Optional<Resource> get(Kind kind, String namespace, String name) {
    try {
      return Optional.of(open().get(ResourceKey.of(kind, namespace, name)));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    datastores.close();
  }
}
