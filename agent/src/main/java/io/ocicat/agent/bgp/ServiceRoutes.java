package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;
import java.util.List;

/** The services of the cluster, as far as routes to them depend on it. */
public record ServiceRoutes(List<Service> services) {
  public static final ServiceRoutes NONE = new ServiceRoutes(List.of());

  /**
   * A service of type ClusterIP, NodePort or LoadBalancer that has a cluster IP.
   *
   * @param local whether traffic from outside goes only to endpoints on the node it reaches
   * @param ready whether an endpoint is ready anywhere
   * @param readyHere whether one is ready on this node
   */
  public record Service(
      String name,
      List<IpAddress> clusterIps,
      List<IpAddress> externalIps,
      List<IpAddress> loadBalancerIps,
      boolean local,
      boolean ready,
      boolean readyHere) {
    public Service {
      clusterIps = List.copyOf(clusterIps);
      externalIps = List.copyOf(externalIps);
      loadBalancerIps = List.copyOf(loadBalancerIps);
    }
  }

  public ServiceRoutes {
    services = List.copyOf(services);
  }
}
