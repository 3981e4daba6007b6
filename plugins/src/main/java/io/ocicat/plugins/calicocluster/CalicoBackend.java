package io.ocicat.plugins.calicocluster;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.Call;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * The cluster that a call works with: Calico's datastore, and the source of pod descriptions. The
 * two are the same only with Kubernetes.
 *
 * @param pods the Kubernetes API of pods, when that is configured
 */
public record CalicoBackend(
    Datastore datastore,
    DatastoreConfig config,
    Optional<DatastoreConfig> pods,
    Function<DatastoreConfig, Datastore> open) {

  /**
   * Opens what the call's configuration names. Does not connect yet.
   *
   * @throws CniException when the configuration is unusable
   */
  public static CalicoBackend of(Call call, Function<DatastoreConfig, Datastore> open) {
    return of(call.config().json(), call.environment(), open);
  }

  /** The same without a call. */
  public static CalicoBackend of(
      ObjectNode json, Map<String, String> environment, Function<DatastoreConfig, Datastore> open) {
    return attempt(
        "error creating calico client",
        () -> {
          DatastoreConfig config = DatastoreConfig.ofCniConfig(json, environment);
          return new CalicoBackend(
              open.apply(config), config, podsOf(json, config, environment), open);
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

  /** Whether the datastore that a call names is of this machine; opens nothing. */
  public static boolean isEmbedded(Call call) {
    return attempt(
        "error creating calico client",
        () ->
            DatastoreConfig.ofCniConfig(call.config().json(), call.environment())
                instanceof DatastoreConfig.Embedded);
  }

  public boolean isKubernetes() {
    return config instanceof DatastoreConfig.Kubernetes;
  }

  public boolean isEmbedded() {
    return config instanceof DatastoreConfig.Embedded;
  }

  /**
   * Whether every pod must exist in it: the API has all pods, other stores only those registered
   * there.
   */
  public boolean knowsAllPods() {
    return pods.isPresent();
  }

  /** Whether an endpoint is the pod itself, read from the same API in the same way. */
  public boolean podsAreEndpoints() {
    return isKubernetes() && pods.filter(config::equals).isPresent();
  }

  /** Within {@link #withPodCache}, a cluster that reads each pod and namespace only once. */
  public Cluster cluster() {
    return PerCallCluster.OF_CALL.isBound()
        ? PerCallCluster.OF_CALL
            .get()
            .computeIfAbsent(pods.orElse(config), _ -> new PerCallCluster(freshCluster()))
        : freshCluster();
  }

  private Cluster freshCluster() {
    return pods.map(open).orElse(datastore).cluster();
  }

  /** Starts a request ahead of need, unless the answer is on this machine anyway. */
  public <T> Prefetch<T> ask(Supplier<T> question) {
    return isEmbedded() ? Prefetch.whenNeeded(question) : Prefetch.start(question);
  }

  /**
   * Runs one call: whatever it and the plugins it delegates to in this process read of pods and
   * namespaces is read once.
   */
  public static <T> T withPodCache(Supplier<T> work) {
    return ScopedValue.where(PerCallCluster.OF_CALL, new ConcurrentHashMap<>()).call(work::get);
  }

  /**
   * Runs a datastore operation.
   *
   * @throws CniException naming the operation, when the datastore fails
   */
  public static <T> T attempt(String what, Supplier<T> action) {
    try {
      return action.get();
    } catch (DatastoreException e) {
      throw new CniException(code(e), "%s: %s".formatted(what, words(e)), e);
    }
  }

  private static ErrorCode code(DatastoreException e) {
    if (e instanceof UnavailableException) {
      return ErrorCode.TRY_AGAIN_LATER;
    }
    return e instanceof InvalidException ? ErrorCode.INVALID_NETWORK_CONFIG : ErrorCode.INTERNAL;
  }

  private static String words(DatastoreException e) {
    String message = String.valueOf(e.getMessage());
    return e instanceof UnauthorizedException && !message.startsWith("connection is unauthorized")
        ? "connection is unauthorized: " + message
        : message;
  }
}
