package io.ocicat.plugins.calico;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.WorkloadEndpointName;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.OwnedVeth;
import io.ocicat.plugins.support.BestEffort;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Performs one GC: removes what containers left that no longer exist. Endpoints do not say which
 * network they belong to, so only those of this node are removed whose container is not among the
 * valid ones and whose veth pair is gone. Kubernetes stores no endpoints of its own: they are the
 * pods.
 */
record CalicoGc(GcCall call, CalicoConf conf, Function<DatastoreConfig, Datastore> datastores) {
  void run(Set<Attachment> valid) {
    try (NetnsSockets host = NetnsSockets.ofHost(call)) {
      BestEffort.all(
          () -> OwnedVeth.collect(host, call.network(), valid),
          () -> Masquerade.collect(host, call.network(), valid),
          () -> removeEndpoints(host, valid),
          () -> call.ipam(HostLocalRequest.withoutRanges(call.config())).gc());
    }
  }

  private void removeEndpoints(NetnsSockets host, Set<Attachment> valid) {
    CalicoBackend backend = CalicoBackend.of(call, datastores);
    Optional<String> node = conf.node().known();
    if (backend.isKubernetes() || node.isEmpty()) {
      return;
    }
    CalicoReadiness.require(backend);
    Set<String> containers =
        valid.stream()
            .flatMap(attachment -> WorkloadIdentity.idsOf(attachment.containerId()).stream())
            .collect(Collectors.toSet());
    List<Resource> endpoints =
        CalicoBackend.attempt(
            "error listing endpoints",
            () -> backend.datastore().list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items());
    for (Resource endpoint : endpoints) {
      if (isOfNode(endpoint, node.get()) && isStale(endpoint, containers, host)) {
        delete(backend.datastore(), endpoint);
      }
    }
  }

  private static boolean isOfNode(Resource endpoint, String node) {
    return WorkloadEndpointName.parse(endpoint.key().name())
        .filter(name -> name.node().equals(node))
        .filter(
            name ->
                name.orchestrator().equals(WorkloadEndpointName.KUBERNETES)
                    || name.orchestrator().equals(WorkloadEndpointName.CNI))
        .isPresent();
  }

  private static boolean isStale(Resource endpoint, Set<String> containers, NetnsSockets host) {
    String container = endpoint.text("spec", "containerID").orElse("");
    String veth = endpoint.text("spec", "interfaceName").orElse("");
    return !container.isEmpty()
        && !containers.contains(container)
        && !veth.isEmpty()
        && host.link(veth).isEmpty();
  }

  private static void delete(Datastore datastore, Resource endpoint) {
    CalicoBackend.attempt(
        "error deleting endpoint",
        () -> {
          try {
            return datastore.delete(endpoint);
          } catch (NotFoundException | ConflictException _) {
            // Somebody else is working on it.
            return endpoint;
          }
        });
  }
}
