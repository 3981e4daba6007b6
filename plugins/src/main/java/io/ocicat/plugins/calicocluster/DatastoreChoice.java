package io.ocicat.plugins.calicocluster;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.plugin.Call;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which datastore a call works with, by its configuration and environment. calico determines it
 * once per call: the plugins that it delegates to in this process use the same.
 *
 * @param config Calico's datastore
 * @param pods the Kubernetes API of pods, when that is configured
 */
public record DatastoreChoice(DatastoreConfig config, Optional<DatastoreConfig> pods) {
  private static final ScopedValue<DatastoreChoice> OF_CALLER = ScopedValue.newInstance();

  /**
   * The datastore of a call; opens nothing.
   *
   * @throws CniException when the configuration is unusable
   */
  public static DatastoreChoice of(Call call) {
    return OF_CALLER.isBound() ? OF_CALLER.get() : of(call.config().json(), call.environment());
  }

  static DatastoreChoice of(ObjectNode json, Map<String, String> environment) {
    return CalicoBackend.attempt(
        CalicoBackend.CREATING,
        () -> {
          DatastoreConfig config = DatastoreConfig.ofCniConfig(json, environment);
          return new DatastoreChoice(config, podsOf(json, config, environment));
        });
  }

  private static Optional<DatastoreConfig> podsOf(
      ObjectNode json, DatastoreConfig config, Map<String, String> inherited) {
    JsonFields in = JsonFields.of(json);
    JsonFields policy = in.object("policy");
    JsonFields kubernetes = in.object("kubernetes");
    String root = policy.text("k8s_api_root").or("");
    boolean named =
        !root.isEmpty()
            || !kubernetes.text("k8s_api_root").or("").isEmpty()
            || !kubernetes.text("kubeconfig").or("").isEmpty();
    if (!named && !(config instanceof DatastoreConfig.Kubernetes)) {
      return Optional.empty();
    }
    Map<String, String> environment = new HashMap<>(inherited);
    int api = root.indexOf("/api/");
    put(environment, "K8S_API_ENDPOINT", api < 0 ? root : root.substring(0, api));
    put(environment, "K8S_CERT_FILE", policy.text("k8s_client_certificate").or(""));
    put(environment, "K8S_KEY_FILE", policy.text("k8s_client_key").or(""));
    put(environment, "K8S_CA_FILE", policy.text("k8s_certificate_authority").or(""));
    ObjectNode asked = json.deepCopy().put("datastore_type", "kubernetes");
    environment.remove("CALICO_DATASTORE_TYPE");
    return Optional.of(DatastoreConfig.ofCniConfig(asked, environment));
  }

  private static void put(Map<String, String> environment, String name, String value) {
    if (!value.isEmpty()) {
      environment.put(name, value);
    }
  }

  /** Whether Calico's datastore is of this machine. */
  public boolean isEmbedded() {
    return config instanceof DatastoreConfig.Embedded;
  }

  /** Opens it. Does not connect yet. */
  public CalicoBackend open(Function<DatastoreConfig, Datastore> datastores) {
    return CalicoBackend.attempt(
        CalicoBackend.CREATING,
        () -> new CalicoBackend(datastores.apply(config), config, pods, datastores));
  }

  /** Delegates a part of the call to plugins that work with the same datastore. */
  public <T> T delegating(Supplier<T> delegation) {
    return ScopedValue.where(OF_CALLER, this).call(delegation::get);
  }

  /** The same for verbs without a result. */
  public void delegating(Runnable delegation) {
    ScopedValue.where(OF_CALLER, this).run(delegation);
  }
}
