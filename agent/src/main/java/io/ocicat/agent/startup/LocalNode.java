package io.ocicat.agent.startup;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * This node, as it is registered.
 *
 * @param uid changes when the Node is deleted and created again
 * @param tunnels the addresses of the tunnels that pools use
 * @param podCidrs the node's ranges of pods' addresses, where this machine takes care of them
 * @param warnings what works, but not as it should, one line each
 */
public record LocalNode(
    String name,
    String uid,
    Optional<NodeAddress> ipv4Address,
    Optional<NodeAddress> ipv6Address,
    Map<Tunnel, IpAddress> tunnels,
    List<IpPrefix> podCidrs,
    List<String> warnings) {
  public LocalNode {
    tunnels = Map.copyOf(tunnels);
    podCidrs = List.copyOf(podCidrs);
    warnings = List.copyOf(warnings);
  }

  /** The IPv4 address, with the prefix length of its subnet. */
  public Optional<IpPrefix> ipv4() {
    return ipv4Address.map(NodeAddress::prefix);
  }

  /** The IPv6 address, with the prefix length of its subnet. */
  public Optional<IpPrefix> ipv6() {
    return ipv6Address.map(NodeAddress::prefix);
  }

  public Optional<IpAddress> tunnel(Tunnel kind) {
    return Optional.ofNullable(tunnels.get(kind));
  }

  /** The interfaces that have the node's addresses. */
  public Set<String> interfaces() {
    return Stream.of(ipv4Address, ipv6Address)
        .flatMap(Optional::stream)
        .map(NodeAddress::interfaceName)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
