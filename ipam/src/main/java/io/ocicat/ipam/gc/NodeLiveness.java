package io.ocicat.ipam.gc;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.util.Map;
import java.util.Set;

/**
 * What is alive on one node, according to its runtime and kernel rather than the datastore. Build
 * one only from complete information: whatever is missing here counts as dead.
 *
 * @param containerIds every container that has not been deleted
 * @param endpoints every pod, as {@code namespace/name}
 * @param addresses every address of a container's interface
 */
public record NodeLiveness(
    String node, Set<String> containerIds, Set<String> endpoints, Set<IpAddress> addresses) {
  public NodeLiveness {
    containerIds = Set.copyOf(containerIds);
    endpoints = Set.copyOf(endpoints);
    addresses = Set.copyOf(addresses);
  }

  /** Whether there is any evidence that the address is still in use. */
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
