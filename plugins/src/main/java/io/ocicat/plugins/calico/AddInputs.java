package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.util.Optional;

/**
 * The cluster data that ADD needs before it changes anything. All of it is requested concurrently
 * and only once, because one round trip to a remote datastore takes as long as all kernel work
 * together.
 */
final class AddInputs {
  private final WorkloadIdentity identity;
  private final Prefetch<Boolean> ready;
  private final Optional<Prefetch<Optional<Resource>>> endpoint;
  private final Optional<Prefetch<Optional<PodNamespace>>> namespace;
  private final Optional<Prefetch<Optional<Pod>>> pod;

  private AddInputs(
      WorkloadIdentity identity,
      Prefetch<Boolean> ready,
      Optional<Prefetch<Optional<Resource>>> endpoint,
      Optional<Prefetch<Optional<PodNamespace>>> namespace,
      Optional<Prefetch<Optional<Pod>>> pod) {
    this.identity = identity;
    this.ready = ready;
    this.endpoint = endpoint;
    this.namespace = namespace;
    this.pod = pod;
  }

  /**
   * Starts the requests for a workload of this kind; pods are only requested where policy needs
   * them.
   */
  static AddInputs ask(CalicoConf conf, CalicoBackend backend, WorkloadIdentity identity) {
    boolean described = identity.isPod() && conf.policy().isKubernetes();
    Prefetch<Boolean> ready = backend.ask(() -> CalicoReadiness.require(backend));
    WorkloadEndpoints endpoints = new WorkloadEndpoints(backend.datastore());
    Optional<Prefetch<Optional<Resource>>> endpoint =
        described && backend.podsAreEndpoints()
            ? Optional.empty()
            : Optional.of(backend.ask(() -> endpoints.find(identity)));
    if (!described) {
      return new AddInputs(identity, ready, endpoint, Optional.empty(), Optional.empty());
    }
    Cluster cluster = backend.cluster();
    return new AddInputs(
        identity,
        ready,
        endpoint,
        Optional.of(backend.ask(() -> cluster.namespace(identity.namespace()))),
        Optional.of(backend.ask(() -> cluster.pod(identity.namespace(), identity.pod()))));
  }

  /**
   * Waits until the datastore has said whether it is ready.
   *
   * @throws CniException when it is not ready, or does not answer
   */
  void requireReady() {
    ready.get();
  }

  /** The workload's existing endpoint, of this or an earlier container. */
  Optional<Resource> endpoint() {
    return endpoint.isPresent()
        ? endpoint.get().get()
        : CalicoBackend.attempt("error listing endpoints", () -> pod.orElseThrow().get())
            .flatMap(found -> Optional.ofNullable(found.endpoint()))
            .filter(found -> identity.query().matches(found.key()))
            .filter(found -> identity.anyInterface().matches(found.key().name()));
  }

  /**
   * The pod's namespace; empty when it does not exist.
   *
   * @throws CniException when the request fails
   */
  Optional<PodNamespace> namespace() {
    return CalicoBackend.attempt(
        "error getting namespace " + identity.namespace(), () -> namespace.orElseThrow().get());
  }

  /**
   * The pod; empty when it does not exist.
   *
   * @throws CniException when the request fails
   */
  Optional<Pod> pod() {
    return CalicoBackend.attempt("error getting " + identity, () -> pod.orElseThrow().get());
  }
}
