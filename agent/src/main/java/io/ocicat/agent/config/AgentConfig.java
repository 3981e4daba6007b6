package io.ocicat.agent.config;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The values in force of Felix's parameters that the agent acts on, as typed values. Names are
 * Felix's. Times of automatic values (an MTU of 0) are resolved by whoever uses them.
 *
 * @param interfacePrefixes a host interface with one of these prefixes is a workload's
 * @param deviceRouteProtocol the protocol number of routes; 3 stands for Felix's own choice of 3
 *     and 80
 * @param removeExternalRoutes whether routes of others on workload interfaces are removed
 * @param natOutgoingAddress the source address of masqueraded packets, instead of the outgoing
 *     interface's
 * @param natPortRange the source ports of masqueraded TCP and UDP, as in {@code 32768:65535}; empty
 *     for the kernel's choice
 * @param endpointReporting whether endpoint status is written to a datastore of keys and values
 * @param endpointStatusPathPrefix the folder in which {@code endpoint-status} is
 * @param filter what concerns the packet filter
 */
public record AgentConfig(
    List<String> interfacePrefixes,
    boolean ipv6Support,
    boolean ipForwarding,
    int vxlanPort,
    int vxlanVni,
    int vxlanMtu,
    int vxlanMtuV6,
    Pattern mtuIfacePattern,
    int deviceRouteProtocol,
    boolean removeExternalRoutes,
    boolean routeSyncDisabled,
    long ipv4NormalRoutePriority,
    long ipv6NormalRoutePriority,
    ClusterRoutes programClusterRoutes,
    Optional<IpAddress> deviceRouteSourceAddress,
    Optional<IpAddress> deviceRouteSourceAddressIpv6,
    boolean natOutgoingExcludesHosts,
    Optional<IpAddress> natOutgoingAddress,
    String natPortRange,
    boolean floatingIps,
    ServiceLoopPrevention serviceLoopPrevention,
    boolean workloadSourceSpoofing,
    Path endpointStatusPathPrefix,
    Duration routeRefreshInterval,
    Duration interfaceRefreshInterval,
    Duration nftablesRefreshInterval,
    boolean endpointReporting,
    Duration endpointReportingDelay,
    boolean healthEnabled,
    String healthHost,
    int healthPort,
    boolean prometheusMetricsEnabled,
    String prometheusMetricsHost,
    int prometheusMetricsPort,
    int ipipMtu,
    boolean vxlanFromWorkloads,
    boolean ipipFromWorkloads,
    List<IpPrefix> externalNodes,
    FilterSettings filter) {

  /** Which routes to other nodes' blocks the agent programs, in addition to those by VXLAN. */
  public enum ClusterRoutes {
    DISABLED,
    IPIP_ONLY,
    NO_ENCAP_ONLY,
    ENABLED
  }

  /** What becomes of packets to a service address that no service has. */
  public enum ServiceLoopPrevention {
    DROP,
    REJECT,
    DISABLED
  }

  public AgentConfig {
    interfacePrefixes = List.copyOf(interfacePrefixes);
    externalNodes = List.copyOf(externalNodes);
  }

  /** Whether a host interface is a workload's, by its name. */
  public boolean isWorkloadInterface(String name) {
    return interfacePrefixes.stream().anyMatch(name::startsWith);
  }
}
