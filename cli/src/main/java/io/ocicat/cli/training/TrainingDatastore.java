package io.ocicat.cli.training;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Prepares the datastore of a network in a training run, as calico/node would. */
public final class TrainingDatastore {
  private TrainingDatastore() {}

  /**
   * The network with the addresses of its servers; empty when there is no server for it.
   *
   * @param served addresses by the kind of server
   */
  public static Optional<ObjectNode> in(ObjectNode network, Map<String, String> served) {
    ObjectNode found = network.deepCopy();
    ObjectNode plugin = (ObjectNode) found.path("plugins").path(0);
    switch (plugin.path("datastore_type").asString("")) {
      case "" -> {
        return Optional.of(found);
      }
      case "etcdv3" -> {
        if (!served.containsKey("etcd")) {
          return Optional.empty();
        }
        plugin.put("etcd_endpoints", served.get("etcd"));
      }
      case "kubernetes" -> {
        if (!served.containsKey("kubeconfig")) {
          return Optional.empty();
        }
        plugin.putObject("kubernetes").put("kubeconfig", served.get("kubeconfig"));
      }
      default -> {}
    }
    prepare(plugin);
    return Optional.of(found);
  }

  private static void prepare(ObjectNode plugin) {
    try (Datastores datastores = new Datastores()) {
      Datastore datastore = datastores.of(DatastoreConfig.ofCniConfig(plugin, System.getenv()));
      create(
          datastore,
          Resource.of(
              new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
              spec -> spec.put("datastoreReady", true)));
      create(
          datastore,
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "pods"),
              spec -> spec.put("cidr", "10.65.0.0/16").put("natOutgoing", true)));
      if (!plugin.path("datastore_type").asString("").equals("kubernetes")) {
        create(
            datastore,
            Resource.of(
                new ResourceKey.Named(Kind.NODE, "", plugin.path("nodename").asString()), _ -> {}));
      }
    }
  }

  private static void create(Datastore datastore, Resource resource) {
    try {
      datastore.create(resource);
    } catch (ExistsException _) {
      // From the round before.
    }
  }
}
