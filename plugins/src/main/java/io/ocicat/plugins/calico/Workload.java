package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.net.NamingHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The properties of a workload in terms of a WorkloadEndpoint.
 *
 * @param namespaceAnnotations of the pod's namespace
 * @param node where Kubernetes has scheduled the pod; empty when unknown
 */
record Workload(
    Map<String, String> labels,
    String generateName,
    String serviceAccount,
    List<Pod.Port> ports,
    List<String> profiles,
    Map<String, String> annotations,
    Map<String, String> namespaceAnnotations,
    String node) {
  private static final String SERVICE_ACCOUNT = "projectcalico.org/serviceaccount";
  private static final int LONGEST_LABEL = 63;
  private static final Set<String> PROTOCOLS = Set.of("TCP", "UDP", "SCTP");
  private static final String RUNTIME_ANNOTATIONS = "io.kubernetes.cri.pod-annotations";

  Workload {
    labels = Map.copyOf(labels);
    ports = List.copyOf(ports);
    profiles = List.copyOf(profiles);
    annotations = Map.copyOf(annotations);
    namespaceAnnotations = Map.copyOf(namespaceAnnotations);
  }

  /** A workload without any metadata; its network's profile applies. */
  static Workload on(String network, Map<String, String> labels) {
    return new Workload(
        labels, "", "", List.of(), List.of(profile(network)), Map.of(), Map.of(), "");
  }

  /** The profile of a network, whose name may be invalid in Calico's resources. */
  static String profile(String network) {
    return WorkloadIdentity.isName(network) ? network : "net" + NamingHash.of(network, 20);
  }

  /**
   * A pod as the cluster describes it.
   *
   * @throws CniException when it must exist and does not
   */
  static Workload ofPod(
      AddCall call,
      CalicoBackend backend,
      WorkloadIdentity identity,
      Optional<PodNamespace> namespace,
      Optional<Pod> found) {
    return ofPod(backend, identity, runtimeAnnotations(call), namespace, found);
  }

  /** The same for a pod that is only known from the cluster, outside an ADD. */
  static Workload ofPod(CalicoBackend backend, WorkloadIdentity identity) {
    Cluster cluster = backend.cluster();
    String namespace = identity.namespace();
    return ofPod(
        backend,
        identity,
        Map.of(),
        CalicoBackend.attempt(
            "error getting namespace " + namespace, () -> cluster.namespace(namespace)),
        CalicoBackend.attempt(
            "error getting " + identity, () -> cluster.pod(namespace, identity.pod())));
  }

  private static Workload ofPod(
      CalicoBackend backend,
      WorkloadIdentity identity,
      Map<String, String> runtimeAnnotations,
      Optional<PodNamespace> namespace,
      Optional<Pod> found) {
    if (backend.knowsAllPods() && namespace.isEmpty()) {
      throw unknown("namespace \"%s\"".formatted(identity.namespace()));
    }
    if (backend.knowsAllPods() && found.isEmpty()) {
      throw unknown(identity.toString());
    }
    return of(
        found.orElseGet(() -> withoutMetadata(identity)),
        runtimeAnnotations,
        namespace.map(PodNamespace::annotations).orElse(Map.of()));
  }

  private static CniException unknown(String what) {
    return new CniException(
        ErrorCode.INTERNAL, what + " does not exist", "it was deleted while it was being started");
  }

  private static Pod withoutMetadata(WorkloadIdentity identity) {
    return new Pod(
        identity.namespace(), identity.pod(), "", Map.of(), Map.of(), "", "", "", List.of());
  }

  /** Annotations that the runtime passes to plugins that ask for them. */
  private static Map<String, String> runtimeAnnotations(AddCall call) {
    return call.runtimeConfig(
        in -> {
          var given = in.object(RUNTIME_ANNOTATIONS);
          Map<String, String> annotations = new HashMap<>();
          given.names().forEach(name -> annotations.put(name, given.text(name).or("")));
          return annotations;
        });
  }

  private static Workload of(
      Pod pod, Map<String, String> runtimeAnnotations, Map<String, String> namespaceAnnotations) {
    Map<String, String> labels = new TreeMap<>(pod.labels());
    String account = pod.serviceAccount();
    if (!account.isEmpty() && account.length() < LONGEST_LABEL) {
      labels.put(SERVICE_ACCOUNT, account);
    }
    List<String> profiles = new ArrayList<>();
    profiles.add("kns." + pod.namespace());
    if (!account.isEmpty()) {
      profiles.add("ksa.%s.%s".formatted(pod.namespace(), account));
    }
    Map<String, String> annotations = new HashMap<>(runtimeAnnotations);
    annotations.putAll(pod.annotations());
    List<Pod.Port> ports =
        pod.ports().stream()
            .filter(port -> port.port() != 0 && PROTOCOLS.contains(port.protocol()))
            .filter(port -> port.hostPort() != 0 || !port.name().isEmpty())
            .toList();
    return new Workload(
        labels,
        pod.generateName(),
        account,
        ports,
        profiles,
        annotations,
        namespaceAnnotations,
        pod.node());
  }
}
