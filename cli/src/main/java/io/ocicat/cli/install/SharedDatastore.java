package io.ocicat.cli.install;

import io.ocicat.agent.startup.InitialCluster;
import io.ocicat.agent.startup.StartupException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * Prepares a datastore that nodes share, as far as a pod's start depends on it. Where calico/node
 * runs it prepares everything; elsewhere this does what it may, and reports what is left to do.
 *
 * @param type {@code etcdv3} or {@code kubernetes}
 * @param node this node's name
 */
record SharedDatastore(Map<String, String> environment, String type, String node) {

  /** Prepares what is missing; returns a line for each thing without which no pod starts. */
  List<String> prepare() {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put("DATASTORE_TYPE", type);
    List<String> left = new ArrayList<>();
    try (Datastore datastore = Datastores.openOwn(DatastoreConfig.ofEnvironment(changed))) {
      information(datastore, left);
      node(datastore, left);
      pools(datastore, left);
    } catch (DatastoreException e) {
      left.add("look into the datastore: " + e.getMessage());
    }
    return left;
  }

  private static void information(Datastore datastore, List<String> left) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");
    try {
      boolean ready =
          datastore.get(key).<Boolean>read(it -> it.at("/spec/datastoreReady").asBoolean(false));
      if (!ready) {
        left.add("\"ocicat datastore unlock\", once nobody migrates the datastore any more");
      }
    } catch (NotFoundException _) {
      create(
          datastore,
          key,
          spec ->
              spec.put("clusterGUID", UUID.randomUUID().toString().replace("-", ""))
                  .put("clusterType", "ocicat")
                  .put("datastoreReady", true),
          "\"ocicat datastore unlock\" with an administrator's rights: ClusterInformation \"default\" does not exist",
          left);
    }
  }

  private void node(Datastore datastore, List<String> left) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.NODE, "", node);
    try {
      datastore.get(key);
    } catch (NotFoundException _) {
      create(
          datastore,
          key,
          _ -> {},
          "correct KUBERNETES_NODE_NAME, or have the node join: there is no node \"%s\""
              .formatted(node),
          left);
    }
  }

  private void pools(Datastore datastore, List<String> left) {
    if (hasPool(datastore)) {
      return;
    }
    String cidr = environment.getOrDefault("CALICO_IPV4POOL_CIDR", "");
    String next =
        "create a pool: echo '{\"apiVersion\":\"projectcalico.org/v3\",\"kind\":\"IPPool\",\"metadata\":{\"name\":\"default-ipv4-ippool\"},\"spec\":{\"cidr\":\"%s\",\"natOutgoing\":true}}' | ocicat apply -f -"
            .formatted(cidr.isEmpty() ? "192.168.0.0/16" : cidr);
    if (cidr.isEmpty()) {
      left.add(next);
      return;
    }
    try {
      new InitialCluster(datastore, environment).createPools();
      if (!hasPool(datastore)) {
        left.add("enable a pool: all of them have spec.disabled");
      }
    } catch (DatastoreException e) {
      left.add("%s (%s)".formatted(next, e.getMessage()));
    } catch (StartupException e) {
      left.add("correct the variable: " + e.getMessage());
    }
  }

  private static boolean hasPool(Datastore datastore) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .map(IpPool::of)
        .anyMatch(IpPool::enabled);
  }

  private static void create(
      Datastore datastore,
      ResourceKey.Named key,
      Consumer<ObjectNode> spec,
      String otherwise,
      List<String> left) {
    try {
      datastore.create(Resource.of(key, spec));
    } catch (ExistsException _) {
      // Another node was faster.
    } catch (DatastoreException e) {
      left.add("%s (%s)".formatted(otherwise, e.getMessage()));
    }
  }
}
