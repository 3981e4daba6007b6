package io.ocicat.agent.startup;

import static io.ocicat.agent.startup.StartupException.Reason.NO_POD_CIDR;

import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.ClusterCidr;
import io.ocicat.datastore.cluster.NodeCidrs;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Gives the node its ranges of pods' addresses, if that is configured: what kube-controller-manager
 * does on Kubernetes. Can be repeated at any time; writes only what is missing.
 */
record PodCidrs(Cluster cluster, StartupSettings settings) {

  /**
   * Returns the ranges that the Node has; none where this is not configured.
   *
   * @param interfaces those of the host that are the node's own
   * @param warnings gets a line for everything that works, but not as it should
   * @throws StartupException when a setting is invalid, or a range has no part left
   */
  List<IpPrefix> ensure(
      String node,
      Collection<IpPool> pools,
      Collection<HostInterface> interfaces,
      List<String> warnings) {
    List<ClusterCidr> ranges = ClusterRanges.of(settings);
    Optional<NodeCidrs> nodeCidrs = cluster.nodeCidrs();
    if (ranges.isEmpty()) {
      return List.of();
    }
    if (nodeCidrs.isEmpty()) {
      warnings.add(
          "%s is ignored: on Kubernetes kube-controller-manager gives nodes their ranges (--allocate-node-cidrs --cluster-cidr=%s)"
              .formatted(ClusterRanges.RANGES, settings.text(ClusterRanges.RANGES)));
      return List.of();
    }
    return switch (nodeCidrs.get().ensure(node, ranges)) {
      case NodeCidrs.Allocated allocated -> {
        outside(node, allocated.cidrs(), ranges, warnings);
        overlapping(node, allocated, warnings);
        inPools(ranges, pools, warnings);
        onHost(ranges, allocated.cidrs(), interfaces, warnings);
        yield allocated.cidrs();
      }
      case NodeCidrs.Exhausted exhausted -> throw exhausted(node, exhausted);
    };
  }

  private static StartupException exhausted(String node, NodeCidrs.Exhausted exhausted) {
    ClusterCidr range = exhausted.range();
    return new StartupException(
        NO_POD_CIDR,
        "node %s gets no range for its pods: %s has no /%d left, %d nodes use it: delete the Nodes of machines that are gone, or set %s to a larger network on all nodes"
            .formatted(node, range, range.nodeLength(), exhausted.nodes(), ClusterRanges.RANGES));
  }

  /** As after a change of the setting: pods have addresses of the old range. */
  private static void outside(
      String node, List<IpPrefix> cidrs, List<ClusterCidr> ranges, List<String> warnings) {
    for (IpPrefix cidr : cidrs) {
      if (ranges.stream().noneMatch(range -> range.range().contains(cidr))) {
        warnings.add(
            "node %s keeps %s for its pods, which is not in %s %s: to move it, drain the node, delete its Node and restart the agent"
                .formatted(
                    node,
                    cidr,
                    ClusterRanges.RANGES,
                    String.join(",", ranges.stream().map(ClusterCidr::toString).toList())));
      }
    }
  }

  private static void overlapping(
      String node, NodeCidrs.Allocated allocated, List<String> warnings) {
    allocated.cidrs().stream()
        .filter(allocated.overlapping()::containsKey)
        .forEach(
            cidr ->
                warnings.add(
                    "%s of node %s overlaps status.podCIDRs of Node %s, which somebody wrote: two pods may get one address; correct one of the Nodes"
                        .formatted(cidr, node, allocated.overlapping().get(cidr))));
  }

  private static void inPools(
      List<ClusterCidr> ranges, Collection<IpPool> pools, List<String> warnings) {
    for (IpPool pool : pools) {
      for (ClusterCidr range : ranges) {
        if (pool.enabled() && pool.cidr().overlaps(range.range())) {
          warnings.add(
              "IPPool %s (%s) overlaps %s %s: calico-ipam and host-local may give one address to two pods; set spec.disabled of the pool, or choose another range"
                  .formatted(pool.name(), pool.cidr(), ClusterRanges.RANGES, range));
        }
      }
    }
  }

  /** A bridge with an address of the node's own range is what the pods are attached to. */
  private static void onHost(
      List<ClusterCidr> ranges,
      List<IpPrefix> own,
      Collection<HostInterface> interfaces,
      List<String> warnings) {
    for (HostInterface one : interfaces) {
      for (IpPrefix address : one.addresses()) {
        IpPrefix network = address.network();
        boolean overlaps = ranges.stream().anyMatch(range -> range.range().overlaps(network));
        if (overlaps
            && !address.address().isLinkLocal()
            && own.stream().noneMatch(cidr -> cidr.contains(network))) {
          warnings.add(
              "%s overlaps %s of interface %s: pods cannot reach machines there; choose another range"
                  .formatted(ClusterRanges.RANGES, network, one.name()));
        }
      }
    }
  }
}
