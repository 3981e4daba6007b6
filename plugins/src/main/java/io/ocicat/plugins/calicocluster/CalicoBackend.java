package io.ocicat.plugins.calicocluster;

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

  static final String CREATING = "error creating calico client";

  /**
   * Opens what the call's configuration names. Does not connect yet.
   *
   * @throws CniException when the configuration is unusable
   */
  public static CalicoBackend of(Call call, Function<DatastoreConfig, Datastore> open) {
    return DatastoreChoice.of(call).open(open);
  }

  /** The same without a call. */
  public static CalicoBackend of(
      ObjectNode json, Map<String, String> environment, Function<DatastoreConfig, Datastore> open) {
    return DatastoreChoice.of(json, environment).open(open);
  }

  /** What it was opened by. */
  public DatastoreChoice choice() {
    return new DatastoreChoice(config, pods);
  }

  public boolean isKubernetes() {
    return config instanceof DatastoreConfig.Kubernetes;
  }

  public boolean isEmbedded() {
    return choice().isEmbedded();
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
   * namespaces is read once, and they work with the same datastore.
   */
  public <T> T withPodCache(Supplier<T> work) {
    return ScopedValue.where(PerCallCluster.OF_CALL, new ConcurrentHashMap<>())
        .call(() -> choice().delegating(work));
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
