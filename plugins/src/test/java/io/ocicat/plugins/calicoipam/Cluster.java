package io.ocicat.plugins.calicoipam;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.etcd.EtcdStore;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.plugins.Ipam;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A test's datastore with a node in it: how configurations name it, calls of the plugin on it, and
 * direct access that bypasses the plugin.
 */
final class Cluster implements AutoCloseable {
  static final String NODE = "node-1";
  private static final List<Kind> KINDS =
      List.of(
          Kind.IP_POOL,
          Kind.IP_RESERVATION,
          Kind.IPAM_BLOCK,
          Kind.BLOCK_AFFINITY,
          Kind.IPAM_HANDLE,
          Kind.NODE);

  private final ObjectNode members;
  private final Map<String, String> environment;
  private final Path files;
  private final Datastores datastores = new Datastores();
  private final @Nullable TestCluster kubernetes;
  private @Nullable Datastore pods;
  private final Function<DatastoreConfig, Datastore> opening;
  private CalicoIpamPlugin plugin;

  private Cluster(ObjectNode members, Map<String, String> environment, Path files) {
    this.members = members;
    this.environment = environment;
    this.files = files;
    this.kubernetes = null;
    this.opening = datastores::of;
    this.plugin = newPlugin();
  }

  private Cluster(ObjectNode members, Map<String, String> environment, Path files, Datastore pods) {
    this.members = members;
    this.environment = environment;
    this.files = files;
    this.kubernetes = null;
    this.pods = pods;
    this.opening =
        config -> config instanceof DatastoreConfig.Kubernetes ? pods : datastores.of(config);
    this.plugin = newPlugin();
  }

  private Cluster(TestCluster kubernetes, Path files) {
    this.members = Json.object().put("datastore_type", "kubernetes");
    members.putObject("kubernetes").put("k8s_api_root", "http://127.0.0.1:1");
    this.environment = Map.of();
    this.files = files;
    this.kubernetes = kubernetes;
    Datastore only = kubernetes.open();
    this.opening = _ -> only;
    this.plugin = newPlugin();
  }

  static Cluster embedded(Path directory) {
    return new Cluster(
        Json.object().put("datastore_type", "embedded"),
        Map.of("OCICAT_STATE_DIR", directory.resolve("state").toString()),
        directory);
  }

  static Cluster etcd(String url, Path directory) {
    return new Cluster(
        Json.object().put("datastore_type", "etcdv3").put("etcd_endpoints", url),
        Map.of(),
        directory);
  }

  /** Addresses on this machine, pods in Kubernetes. */
  static Cluster embedded(TestCluster pods, Path directory) {
    ObjectNode members = Json.object().put("datastore_type", "embedded");
    members.putObject("kubernetes").put("k8s_api_root", "http://127.0.0.1:1");
    return new Cluster(
        members,
        Map.of("OCICAT_STATE_DIR", directory.resolve("state").toString()),
        directory,
        pods.open());
  }

  /** The API server must be empty. */
  static Cluster kubernetes(TestCluster server, Path directory) {
    return new Cluster(server, directory);
  }

  private CalicoIpamPlugin newPlugin() {
    return new CalicoIpamPlugin(opening, files.resolve("upgraded"));
  }

  Path lockFile() {
    return files.resolve("calico/ipam.lock");
  }

  Datastore datastore() {
    return opening.apply(DatastoreConfig.ofCniConfig(members, environment));
  }

  /** The same datastore, for a plugin of the test's own. */
  Datastore open(DatastoreConfig config) {
    return opening.apply(config);
  }

  void disable(String pool) {
    datastore()
        .update(
            datastore()
                .get(ResourceKey.of(Kind.IP_POOL, pool))
                .edit(tree -> tree.withObject("/spec").put("disabled", true)));
  }

  /** Writes what no datastore of ours would. */
  void write(String key, String value) {
    DatastoreConfig config = DatastoreConfig.ofCniConfig(members, environment);
    try (KeyValueStore store =
        switch (config) {
          case DatastoreConfig.Embedded embedded -> EmbeddedStore.open(embedded.directory());
          case DatastoreConfig.Etcd etcd -> EtcdStore.open(etcd);
          case DatastoreConfig.Kubernetes _ ->
              throw new IllegalStateException("objects of Kubernetes have no such keys");
        }) {
      store.commit(Transaction.put(key, value));
    }
  }

  /** Empty but for the node; the plugin has served no call yet. */
  void reset() {
    for (Kind kind : kubernetes == null ? KINDS : List.<Kind>of()) {
      for (Resource resource : datastore().list(ResourceQuery.of(kind)).items()) {
        datastore().delete(resource.key(), null);
      }
    }
    node(NODE, Map.of());
    plugin = newPlugin();
  }

  void node(String name, Map<String, String> labels) {
    if (kubernetes != null) {
      kubernetes.node(name, labels);
      return;
    }
    ObjectNode document = Json.object().put("apiVersion", Resource.API_VERSION).put("kind", "Node");
    ObjectNode metadata = document.putObject("metadata").put("name", name);
    ObjectNode written = metadata.putObject("labels");
    labels.forEach(written::put);
    document.putObject("spec");
    datastore().create(Resource.ofDocument(document));
  }

  void removeNode() {
    if (kubernetes != null) {
      kubernetes.remove("nodes", NODE);
    } else {
      datastore().delete(ResourceKey.of(Kind.NODE, NODE), null);
    }
  }

  void pool(String name, String cidr) {
    pool(name, cidr, _ -> {});
  }

  void pool(String name, String cidr, Consumer<ObjectNode> more) {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> {
                  spec.put("cidr", cidr);
                  more.accept(spec);
                }));
  }

  /** A configuration with these members of ipam, and others next to it. */
  String config(String version, String ipam, String... more) {
    ObjectNode config = members.deepCopy();
    config.put("cniVersion", version).put("name", "net1").put("type", "calico");
    config.put("nodename", NODE).put("ipam_lock_file", lockFile().toString());
    config.set(
        "ipam",
        (ObjectNode) CniJson.parse("{\"type\":\"calico-ipam\"%s}".formatted(prefixed(ipam))));
    for (String member : more) {
      config.setAll((ObjectNode) CniJson.parse("{%s}".formatted(member)));
    }
    return config.toString();
  }

  private static String prefixed(String members) {
    return members.isEmpty() ? "" : "," + members;
  }

  /** Calls of one plugin instance that serves them all, as in a daemon. */
  Ipam net(String ipam, String... more) {
    return calls(config("1.1.0", ipam, more));
  }

  Ipam calls(String config) {
    Ipam calls = Ipam.of("calico-ipam", config).resident(plugin);
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      calls = calls.with(variable.getKey(), variable.getValue());
    }
    return calls;
  }

  /** The holders of all addresses, of all blocks. */
  List<AddressInfo> assigned() {
    return datastore().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
        .flatMap(block -> io.ocicat.ipam.Ipam.inUse(IpamBlock.of(block)).stream())
        .toList();
  }

  List<String> addresses() {
    return assigned().stream().map(info -> info.address().toString()).toList();
  }

  List<String> handles() {
    return datastore().list(ResourceQuery.of(Kind.IPAM_HANDLE)).items().stream()
        .map(handle -> ((ResourceKey.Handle) handle.key()).id())
        .toList();
  }

  @Override
  public void close() {
    if (kubernetes != null) {
      datastore().close();
      kubernetes.close();
    }
    if (pods != null) {
      pods.close();
    }
    datastores.close();
  }
}
