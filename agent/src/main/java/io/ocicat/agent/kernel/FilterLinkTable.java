package io.ocicat.agent.kernel;

import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.HostFilter;
import io.ocicat.agent.nft.FilterLinks;
import io.ocicat.netlink.link.Link;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the links of a filter's endpoints. */
final class FilterLinkTable {
  static final FilterLinks NONE = new FilterLinks(Map.of(), Map.of(), Optional.empty());

  private final DesiredFilter filter;
  private final LinkTable links;

  FilterLinkTable(DesiredFilter filter, LinkTable links) {
    this.filter = filter;
    this.links = links;
  }

  FilterLinks resolve() {
    Map<String, Integer> workloads = new HashMap<>();
    filter
        .workloads()
        .keySet()
        .forEach(name -> links.find(name).ifPresent(link -> workloads.put(name, link.index())));
    List<HostFilter> hosts =
        filter.hosts().values().stream().sorted(Comparator.comparing(HostFilter::name)).toList();
    Map<Integer, HostFilter> found = new HashMap<>();
    if (!hosts.isEmpty()) {
      links.all().stream()
          .filter(link -> !isWorkloads(link))
          .forEach(
              link ->
                  hosts.stream()
                      .filter(host -> isOf(host, link))
                      .findFirst()
                      .ifPresent(host -> found.put(link.index(), host)));
    }
    return new FilterLinks(
        workloads, found, hosts.stream().filter(HostFilter::isWildcard).findFirst());
  }

  boolean isLink(String name, int index) {
    return links.find(name).filter(link -> link.index() == index).isPresent();
  }

  private boolean isWorkloads(Link link) {
    return filter.workloads().containsKey(link.name())
        || filter.settings().map(FilterSettings::workloadPrefixes).orElse(List.of()).stream()
            .anyMatch(link.name()::startsWith);
  }

  private boolean isOf(HostFilter host, Link link) {
    if (host.isWildcard()) {
      return false;
    }
    return host.interfaceName().isEmpty()
        ? links.addresses(link.index()).stream()
            .anyMatch(prefix -> host.addresses().contains(prefix.address()))
        : host.interfaceName().equals(link.name());
  }
}
