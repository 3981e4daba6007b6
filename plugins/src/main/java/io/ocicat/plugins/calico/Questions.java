package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.datastore.Ahead;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.plugins.calicocluster.Backend;
import java.util.Optional;

/**
 * What ADD must know before it makes anything. All of it is asked at the same time and each thing
 * once, because every round trip to a datastore far away is as long as all kernel work together.
 */
final class Questions {
  private final Identity identity;
  private final Ahead<Boolean> ready;
  private final Optional<Ahead<Optional<Resource>>> endpoint;
  private final Optional<Ahead<Optional<PodNamespace>>> namespace;
  private final Optional<Ahead<Optional<Pod>>> pod;

  private Questions(
      Identity identity,
      Ahead<Boolean> ready,
      Optional<Ahead<Optional<Resource>>> endpoint,
      Optional<Ahead<Optional<PodNamespace>>> namespace,
      Optional<Ahead<Optional<Pod>>> pod) {
    this.identity = identity;
    this.ready = ready;
    this.endpoint = endpoint;
    this.namespace = namespace;
    this.pod = pod;
  }

  /** Asks what a workload of this kind needs; pods are described only where policy wants them. */
  static Questions ask(CalicoConf conf, Backend backend, Identity identity) {
    boolean described = identity.isPod() && conf.policy().isKubernetes();
    Ahead<Boolean> ready = backend.ask(() -> Readiness.require(backend));
    Endpoints endpoints = new Endpoints(backend.datastore());
    Optional<Ahead<Optional<Resource>>> endpoint =
        described && backend.podsAreEndpoints()
            ? Optional.empty()
            : Optional.of(backend.ask(() -> endpoints.find(identity)));
    if (!described) {
      return new Questions(identity, ready, endpoint, Optional.empty(), Optional.empty());
    }
    Cluster cluster = backend.cluster();
    return new Questions(
        identity,
        ready,
        endpoint,
        Optional.of(backend.ask(() -> cluster.namespace(identity.namespace()))),
        Optional.of(backend.ask(() -> cluster.pod(identity.namespace(), identity.pod()))));
  }

  /**
   * Waits for the word that the datastore is ready.
   *
   * @throws CniException when it is not, or does not answer
   */
  void requireReady() {
    ready.get();
  }

  /** The endpoint that the workload has from before, of this or an earlier container. */
  Optional<Resource> endpoint() {
    return endpoint.isPresent()
        ? endpoint.get().get()
        : Backend.attempt("error listing endpoints", () -> pod.orElseThrow().get())
            .flatMap(found -> Optional.ofNullable(found.endpoint()))
            .filter(found -> identity.query().matches(found.key()))
            .filter(found -> identity.anyInterface().matches(found.key().name()));
  }

  /**
   * The pod's namespace; empty when nobody knows it.
   *
   * @throws CniException when it cannot be asked for
   */
  Optional<PodNamespace> namespace() {
    return Backend.attempt(
        "error getting namespace " + identity.namespace(), () -> namespace.orElseThrow().get());
  }

  /**
   * The pod; empty when nobody knows it.
   *
   * @throws CniException when it cannot be asked for
   */
  Optional<Pod> pod() {
    return Backend.attempt("error getting " + identity, () -> pod.orElseThrow().get());
  }
}
