package io.ocicat.ipam.gc;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.util.Map;
import java.util.Set;

/**
 * What is alive on one node, as its runtime and its kernel say, not the datastore. Whoever cannot
 * tell must not make one: what is not in here counts as dead.
 *
 * @param containerIds of every container that has not been deleted
 * @param endpoints of every pod, as {@code namespace/name}
 * @param addresses of every interface of a container
 */
public record NodeLiveness(
    String node, Set<String> containerIds, Set<String> endpoints, Set<IpAddress> addresses) {
  public NodeLiveness {
    containerIds = Set.copyOf(containerIds);
    endpoints = Set.copyOf(endpoints);
    addresses = Set.copyOf(addresses);
  }

  /** Whether anything says that somebody still has the address. */
  public boolean isAlive(AddressInfo info) {
    String handle = String.valueOf(info.handle());
    return addresses.contains(info.address())
        || isEndpoint(info.owner())
        || isEndpoint(info.alternate())
        || containerIds.contains(handle)
        || containerIds.contains(handle.substring(handle.lastIndexOf('.') + 1));
  }

  private boolean isEndpoint(Map<String, String> owner) {
    return endpoints.contains(
        owner.get(CalicoConventions.NAMESPACE) + "/" + owner.get(CalicoConventions.POD));
  }
}
