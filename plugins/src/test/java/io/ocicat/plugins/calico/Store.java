package io.ocicat.plugins.calico;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.StoredCluster;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * A test's datastore: how configurations name it, and direct access that bypasses the plugin. Pods
 * are in the API server, if there is one; otherwise in the datastore itself.
 */
final class Store implements AutoCloseable {
  private static final List<Kind> KINDS =
      List.of(
          Kind.IP_POOL,
          Kind.CLUSTER_INFORMATION,
          Kind.IPAM_BLOCK,
          Kind.BLOCK_AFFINITY,
          Kind.IPAM_HANDLE);

  /** Resources that Kubernetes manages itself and nobody can delete. */
  private static final List<Kind> OWN_KINDS =
      List.of(Kind.WORKLOAD_ENDPOINT, Kind.PROFILE, Kind.NODE);

  private final ObjectNode members;
  private final Map<String, String> environment;
  private final Optional<PodApi> api;
  private final DatastoreConfig own;
  private final Datastores datastores = new Datastores();

  private Store(
      ObjectNode members,
      Map<String, String> environment,
      Optional<PodApi> api,
      DatastoreConfig own) {
    this.members = members;
    this.environment = environment;
    this.api = api;
    this.own = own;
  }

  private static Store of(ObjectNode members, Map<String, String> environment) {
    DatastoreConfig own = DatastoreConfig.ofCniConfig(members, environment);
    return new Store(members, environment, Optional.empty(), own);
  }

  static Store embedded(Path directory) {
    return of(
        Json.object().put("datastore_type", "embedded"),
        Map.of("OCICAT_STATE_DIR", directory.toString()));
  }

  private static ObjectNode etcdMembers(String url) {
    return Json.object().put("datastore_type", "etcdv3").put("etcd_endpoints", url);
  }

  static Store etcd(String url) {
    return of(etcdMembers(url), Map.of());
  }

  /** As in clusters that keep Calico's resources in etcd, and pods in Kubernetes. */
  static Store etcd(String url, PodApi api) {
    ObjectNode members = reaching(api, etcdMembers(url));
    return new Store(
        members, Map.of(), Optional.of(api), DatastoreConfig.ofCniConfig(members, Map.of()));
  }

  static Store kubernetes(PodApi api) {
    ObjectNode members = reaching(api, Json.object().put("datastore_type", "kubernetes"));
    ObjectNode admin = members.deepCopy();
    admin.putObject("kubernetes").put("k8s_api_root", api.cluster().url());
    admin.putObject("policy").put("k8s_auth_token", api.adminToken());
    return new Store(
        members, Map.of(), Optional.of(api), DatastoreConfig.ofCniConfig(admin, Map.of()));
  }

  /** All tests of a class share one connection, which must not run into its own limit. */
  private static ObjectNode reaching(PodApi api, ObjectNode members) {
    members.put("qps", 10_000);
    members.putObject("kubernetes").put("kubeconfig", api.kubeconfig().toString());
    return members;
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

  Optional<PodApi> api() {
    return api;
  }

  /** Whether endpoints are separate resources; with Kubernetes they are the pods. */
  boolean keepsEndpoints() {
    return !(own instanceof DatastoreConfig.Kubernetes);
  }

  Datastore open() {
    return datastores.of(own);
  }

  /** As calico/node leaves it: empty, and ready. */
  void reset() {
    api.ifPresent(PodApi::clear);
    KINDS.forEach(this::deleteAll);
    if (keepsEndpoints()) {
      OWN_KINDS.forEach(this::deleteAll);
      open().create(Resource.of(new ResourceKey.Named(Kind.NODE, "", PodApi.NODE), _ -> {}));
    }
    ready(true);
  }

  private void deleteAll(Kind kind) {
    for (Resource resource : open().list(ResourceQuery.of(kind)).items()) {
      if (!resource.key().name().equals("projectcalico-default-allow")) {
        remove(resource.key());
      }
    }
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
      // As expected.
    }
  }

  void pool(String name, String cidr, boolean natOutgoing) {
    pool(name, cidr, spec -> spec.put("natOutgoing", natOutgoing));
  }

  void pool(String name, String cidr, Consumer<ObjectNode> more) {
    open()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> more.accept(spec.put("cidr", cidr))));
  }

  void put(Pod pod) {
    if (api.isPresent()) {
      api.get().put(pod);
    } else {
      ((StoredCluster) open().cluster()).put(pod);
    }
  }

  /** Only an API server must have a pod before it is attached. */
  void know(String namespace, String pod) {
    if (api.isPresent() && !api.get().has(namespace, pod)) {
      put(pod(namespace, pod, Map.of()));
    }
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

  /** Those of attached workloads: pods without an address are not among them. */
  List<Resource> endpoints() {
    return open().list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items().stream()
        .filter(endpoint -> !WorkloadEndpoints.texts(endpoint, "ipNetworks").isEmpty())
        .toList();
  }

  Optional<Resource> get(Kind kind, String namespace, String name) {
    try {
      return Optional.of(open().get(ResourceKey.of(kind, namespace, name)));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  /** The allocations of calico-ipam, as {@code 10.65.0.0 net1.container}. */
  List<String> assigned() {
    return open().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
        .flatMap(block -> Ipam.inUse(IpamBlock.of(block)).stream())
        .map(info -> info.address() + " " + info.handle())
        .toList();
  }

  @Override
  public void close() {
    datastores.close();
  }
}
