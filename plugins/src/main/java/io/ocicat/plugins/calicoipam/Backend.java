package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.plugin.Call;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.config.DatastoreConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is behind a call: Calico's datastore, and where namespaces of pods are described. These are
 * the same thing only with Kubernetes.
 */
record Backend(
    DatastoreConfig config,
    DatastoreConfig pods,
    Function<DatastoreConfig, Datastore> open,
    Datastore datastore) {

  /**
   * Opens what the call's configuration names. Nothing is connected to yet.
   *
   * @throws CniException when the configuration cannot work
   */
  static Backend of(Call call, Function<DatastoreConfig, Datastore> open) {
    return Failures.told(
        "error creating calico client",
        () -> {
          ObjectNode json = call.config().json();
          DatastoreConfig config = DatastoreConfig.ofCniConfig(json, call.environment());
          return new Backend(config, podsOf(json, config, call), open, open.apply(config));
        });
  }

  private static DatastoreConfig podsOf(ObjectNode json, DatastoreConfig config, Call call) {
    boolean named =
        Stream.of("/kubernetes/kubeconfig", "/kubernetes/k8s_api_root")
            .anyMatch(member -> !json.at(member).asString("").isEmpty());
    if (config instanceof DatastoreConfig.Kubernetes || !named) {
      return config;
    }
    Map<String, String> environment = new HashMap<>(call.environment());
    environment.remove("CALICO_DATASTORE_TYPE");
    return DatastoreConfig.ofCniConfig(
        json.deepCopy().put("datastore_type", "kubernetes"), environment);
  }

  boolean isKubernetes() {
    return config instanceof DatastoreConfig.Kubernetes;
  }

  Cluster cluster() {
    return (pods.equals(config) ? datastore : open.apply(pods)).cluster();
  }
}
