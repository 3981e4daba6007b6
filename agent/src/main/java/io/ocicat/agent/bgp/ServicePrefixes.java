package io.ocicat.agent.bgp;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The routes to services. None of them may reach the kernel, where kube-proxy serves these
 * addresses.
 *
 * @param announced what this node announces: ranges, and single addresses of services that are not
 *     announced by every node alike
 * @param ranges all ranges of service addresses, whoever announces them
 */
record ServicePrefixes(Set<IpPrefix> announced, Set<IpPrefix> ranges) {
  private static final String EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";

  ServicePrefixes {
    announced = new TreeSet<>(announced);
    ranges = new TreeSet<>(ranges);
  }

  static ServicePrefixes of(EffectiveBgp bgp) {
    List<IpPrefix> cluster = bgp.inputs().settings().clusterIps().orElse(bgp.global().clusterIps());
    List<IpPrefix> external = bgp.global().externalIps();
    List<IpPrefix> balanced = bgp.global().loadBalancerIps();
    boolean aggregated = bgp.global().aggregatesLoadBalancerIps();
    Set<IpPrefix> ranges = new TreeSet<>(cluster);
    ranges.addAll(external);
    ranges.addAll(balanced);
    Set<IpPrefix> announced = new TreeSet<>();
    if (!bgp.own().labels().getOrDefault(EXCLUDED, "").equals("true")) {
      Stream.of(cluster, external, aggregated ? balanced : List.<IpPrefix>of())
          .flatMap(List::stream)
          .filter(range -> !isSingle(range))
          .forEach(announced::add);
      for (ServiceRoutes.Service service : bgp.inputs().services().services()) {
        List<IpPrefix> addresses = new ArrayList<>();
        within(service.clusterIps(), cluster, addresses);
        within(service.externalIps(), external, addresses);
        within(service.loadBalancerIps(), balanced, addresses);
        if (service.local()
            ? service.readyHere()
            : addresses.stream().anyMatch(ranges::contains) || (!aggregated && service.ready())) {
          announced.addAll(addresses);
        }
      }
    }
    return new ServicePrefixes(announced, ranges);
  }

  private static boolean isSingle(IpPrefix range) {
    return range.length() == range.address().bitLength();
  }

  private static void within(
      Collection<IpAddress> addresses, List<IpPrefix> ranges, List<IpPrefix> found) {
    addresses.stream()
        .filter(address -> ranges.stream().anyMatch(range -> range.contains(address)))
        .map(IpPrefix::host)
        .forEach(found::add);
  }

  List<IpPrefix> announced(IpFamily family) {
    return of(announced, family);
  }

  List<IpPrefix> ranges(IpFamily family) {
    return of(ranges, family);
  }

  private static List<IpPrefix> of(Set<IpPrefix> prefixes, IpFamily family) {
    return prefixes.stream().filter(prefix -> IpFamily.of(prefix.address()) == family).toList();
  }
}
