package io.ocicat.agent.nft;

import io.ocicat.agent.filter.HostFilter;
import java.util.Map;
import java.util.Optional;

/**
 * Which links the kernel has for the endpoints of a filter.
 *
 * @param workloads the index of each workload's link by its name; those without a link are missing
 * @param hosts the host endpoint of each link by its index
 * @param wildcard the host endpoint of all others that are not workloads'
 */
public record FilterLinks(
    Map<String, Integer> workloads, Map<Integer, HostFilter> hosts, Optional<HostFilter> wildcard) {
  public FilterLinks {
    workloads = Map.copyOf(workloads);
    hosts = Map.copyOf(hosts);
  }
}
