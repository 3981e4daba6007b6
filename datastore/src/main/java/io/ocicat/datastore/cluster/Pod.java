package io.ocicat.datastore.cluster;

import io.ocicat.datastore.resource.Resource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod as far as its network is concerned. Texts that are not given are empty.
 *
 * @param generateName the prefix that its controller had the name made from
 * @param ports those of all its containers
 * @param owners what it belongs to
 * @param endpoint the WorkloadEndpoint that it is, where pods are endpoints; null elsewhere
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
   * A port that a container says it serves.
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

  /** One that is no endpoint by itself. */
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

  /** One that belongs to nothing. */
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

  /** The same, which is an endpoint. */
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
