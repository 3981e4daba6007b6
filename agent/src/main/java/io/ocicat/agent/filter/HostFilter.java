package io.ocicat.agent.filter;

import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.Optional;

/**
 * The rules of a host endpoint of this node. Which link it stands for depends on the kernel: the
 * one that is named, else those with one of the addresses. Where several host endpoints claim a
 * link, the first by name has it. The wildcard {@code *} has all others that are not workloads'.
 *
 * @param interfaceName empty when it is found by address
 * @param ingress for packets to the host itself
 * @param egress for packets from the host itself
 * @param forwardIngress for packets that the host forwards and that came in here; empty when no
 *     policy applies to them, and they go on
 * @param forwardEgress likewise for packets that leave here
 * @param preDnat for packets that come in, before their destination is translated
 * @param untrackedIngress for packets that come in, before connection tracking
 * @param untrackedEgress for packets from the host itself, before connection tracking
 */
public record HostFilter(
    String name,
    String interfaceName,
    List<IpAddress> addresses,
    EndpointRules ingress,
    EndpointRules egress,
    Optional<EndpointRules> forwardIngress,
    Optional<EndpointRules> forwardEgress,
    Optional<EndpointRules> preDnat,
    Optional<EndpointRules> untrackedIngress,
    Optional<EndpointRules> untrackedEgress) {
  public static final String WILDCARD = "*";

  public HostFilter {
    addresses = List.copyOf(addresses);
  }

  public boolean isWildcard() {
    return interfaceName.equals(WILDCARD);
  }
}
