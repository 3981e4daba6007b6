package io.ocicat.agent.view;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node as a BGP speaker.
 *
 * @param ipv4 the address of its sessions, with the length of its subnet
 * @param asNumber its own AS number; null for the cluster's
 * @param clusterId the cluster id of a route reflector; empty when it is not one
 */
public record BgpNode(
    String name,
    @Nullable IpPrefix ipv4,
    @Nullable IpPrefix ipv6,
    @Nullable Long asNumber,
    String clusterId,
    Map<String, String> labels) {
  public BgpNode {
    labels = Map.copyOf(labels);
  }

  static BgpNode of(Resource resource) {
    ClusterNode node = ClusterNode.of(resource);
    return BgpValues.read(
        resource,
        spec ->
            new BgpNode(
                node.name(),
                node.ipv4(),
                node.ipv6(),
                BgpValues.asNumber(spec.path("bgp"), "asNumber"),
                BgpValues.text(spec.path("bgp"), "routeReflectorClusterID"),
                resource.labels()));
  }

  public Optional<IpAddress> address(IpFamily family) {
    return Optional.ofNullable(family == IpFamily.V4 ? ipv4 : ipv6).map(IpPrefix::address);
  }

  public boolean isReflector() {
    return !clusterId.isEmpty();
  }
}
