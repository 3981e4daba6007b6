package io.ocicat.agent.filter;

import io.ocicat.ip.IpPrefix;
import java.util.List;

/**
 * The rules of a workload endpoint of this node.
 *
 * @param owner the endpoint, for messages
 * @param spoofable networks from which it may send although they are not routed to it
 */
public record WorkloadFilter(
    String interfaceName,
    String owner,
    EndpointRules ingress,
    EndpointRules egress,
    List<IpPrefix> spoofable) {
  public WorkloadFilter {
    spoofable = List.copyOf(spoofable);
  }
}
