package io.ocicat.agent.desired;

import io.ocicat.netlink.IpFamily;
import java.util.Map;
import java.util.Optional;

/**
 * What the node's own network looks like, as far as desired state depends on it.
 *
 * @param parents the link that has the node's address, by family
 * @param mtu the smallest MTU of the links that lead to other nodes
 */
public record HostNetwork(Map<IpFamily, String> parents, int mtu) {
  /** Before anything is known. */
  public static final HostNetwork UNKNOWN = new HostNetwork(Map.of(), 0);

  public HostNetwork {
    parents = Map.copyOf(parents);
  }

  public Optional<String> parent(IpFamily family) {
    return Optional.ofNullable(parents.get(family));
  }
}
