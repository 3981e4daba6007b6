package io.ocicat.datastore.cluster;

import io.ocicat.datastore.resource.Resource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod, as far as its network is concerned. Absent texts are empty.
 *
 * @param generateName the prefix from which its controller had the name generated
 * @param ports those of all its containers
 * @param owners its owner references
 * @param endpoint the pod's WorkloadEndpoint, where pods are endpoints; null elsewhere
 */
public record Pod(
    String namespace,
    String name,
    String uid,
    Map<String, String> labels,
    Map<String, String> annotations,
    String serviceAccount,
    String generateName,
    String node,
    List<Port> ports,
    List<OwnerReference> owners,
    @Nullable Resource endpoint) {

  /**
   * A port that a container declares.
   *
   * @param protocol TCP, UDP or SCTP
   * @param hostPort 0 for none
   */
  public record Port(String name, String protocol, int port, int hostPort, String hostIp) {}

  public Pod {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
    ports = List.copyOf(ports);
    owners = List.copyOf(owners);
  }

  /** A pod that is not an endpoint by itself. */
  public Pod(
      String namespace,
      String name,
      String uid,
      Map<String, String> labels,
      Map<String, String> annotations,
      String serviceAccount,
      String generateName,
      String node,
      List<Port> ports,
      List<OwnerReference> owners) {
    this(
        namespace,
        name,
        uid,
        labels,
        annotations,
        serviceAccount,
        generateName,
        node,
        ports,
        owners,
        null);
  }

  /** A pod without owners. */
  public Pod(
      String namespace,
      String name,
      String uid,
      Map<String, String> labels,
      Map<String, String> annotations,
      String serviceAccount,
      String generateName,
      String node,
      List<Port> ports) {
    this(
        namespace,
        name,
        uid,
        labels,
        annotations,
        serviceAccount,
        generateName,
        node,
        ports,
        List.of());
  }

  /** The same pod with its endpoint. */
  public Pod as(Resource workloadEndpoint) {
    return new Pod(
        namespace,
        name,
        uid,
        labels,
        annotations,
        serviceAccount,
        generateName,
        node,
        ports,
        owners,
        workloadEndpoint);
  }
}
