package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.DesiredRoute.Purpose;
import io.ocicat.agent.view.AddressBlock;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.route.RouteProtocol;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which routes a block or an endpoint needs on this node: a pure function of the view, the
 * configuration and the node's own network.
 *
 * <pre>
 * local workload                 10.65.0.7 dev cali12345 scope link metric 1024
 * own block                      blackhole 10.65.0.0/26 proto 80
 * block of another node, VXLAN   10.65.1.0/26 via 10.65.1.0 dev vxlan.calico onlink
 * the same in our subnet         10.65.1.0/26 via 192.168.0.2 dev eth0 onlink proto 80
 * without encapsulation          likewise
 * IPIP                           10.65.1.0/26 via 192.168.0.2 dev tunl0 onlink proto 80
 * borrowed address               10.65.0.9 towards the node that uses it, in that node's form
 * </pre>
 */
record RouteRules(WatchedCluster view, AgentConfig config, HostNetwork host) {
  /** What Felix marks routes with that are not a device's, unless another number is configured. */
  private static final RouteProtocol FELIX = new RouteProtocol(80);

  Map<DesiredRoute.Key, DesiredRoute> ofBlock(AddressBlock block) {
    Map<DesiredRoute.Key, DesiredRoute> routes = new LinkedHashMap<>();
    IpPool pool = poolOf(block.cidr()).orElse(null);
    if (pool == null || (block.cidr().isV6() && !config.ipv6Support()) || !isOurs(pool)) {
      return routes;
    }
    String owner = block.owner();
    if (owner != null && owner.equals(view.localNode())) {
      if (!block.isSingleAddress()) {
        put(routes, route(block.cidr(), Purpose.BLOCK_DROP, "", null, 0, nonDeviceProtocol()));
      }
    } else if (owner != null) {
      towards(owner, block.cidr(), pool).ifPresent(route -> put(routes, route));
    }
    block
        .borrowed()
        .forEach(
            (address, node) -> {
              if (!node.equals(view.localNode())) {
                towards(node, IpPrefix.host(address), pool).ifPresent(route -> put(routes, route));
              }
            });
    return routes;
  }

  /** Whether this agent makes the routes to other nodes' addresses of the pool. */
  private boolean isOurs(IpPool pool) {
    if (pool.vxlan() != IpPool.Tunnel.NEVER) {
      return true;
    }
    boolean ipip = pool.ipip() != IpPool.Tunnel.NEVER;
    return switch (config.programClusterRoutes()) {
      case ENABLED -> true;
      case IPIP_ONLY -> ipip;
      case NO_ENCAP_ONLY -> !ipip;
      case DISABLED -> false;
    };
  }

  /** The smallest pool that contains the range; those of service addresses have no workloads. */
  private Optional<IpPool> poolOf(IpPrefix range) {
    return view.pools().stream()
        .filter(pool -> pool.cidr().contains(range) && NatRules.hasWorkloads(pool))
        .max(Comparator.comparingInt(pool -> pool.cidr().length()));
  }

  private Optional<DesiredRoute> towards(String nodeName, IpPrefix range, IpPool pool) {
    IpFamily family = IpFamily.of(range.address());
    ClusterNode node = view.node(nodeName).orElse(null);
    IpAddress address = node == null ? null : node.address(family).orElse(null);
    if (node == null || address == null) {
      return Optional.empty();
    }
    return switch (pool.vxlan()) {
      case ALWAYS -> tunnel(node, range, family);
      case CROSS_SUBNET ->
          isInOurSubnet(address)
              ? direct(range, Purpose.VXLAN_SAME_SUBNET, address, family)
              : tunnel(node, range, family);
      case NEVER -> withoutVxlan(range, pool, address, family);
    };
  }

  private Optional<DesiredRoute> withoutVxlan(
      IpPrefix range, IpPool pool, IpAddress address, IpFamily family) {
    return switch (pool.ipip()) {
      case ALWAYS -> Optional.of(ipip(range, address));
      case CROSS_SUBNET ->
          isInOurSubnet(address)
              ? direct(range, Purpose.IPIP_SAME_SUBNET, address, family)
              : Optional.of(ipip(range, address));
      case NEVER -> direct(range, Purpose.NO_ENCAPSULATION, address, family);
    };
  }

  /** The gateway is the other node's own address: tunl0 sends the packet there in another one. */
  private DesiredRoute ipip(IpPrefix range, IpAddress node) {
    return route(
        range,
        Purpose.IPIP_TUNNEL,
        IpipDevice.NAME,
        node,
        Mtus.of(host.mtu(), config, view.pools()).ipip(),
        nonDeviceProtocol());
  }

  private boolean isInOurSubnet(IpAddress address) {
    return view.node(view.localNode())
        .flatMap(own -> own.subnet(IpFamily.of(address)))
        .filter(subnet -> subnet.contains(address))
        .isPresent();
  }

  private Optional<DesiredRoute> direct(
      IpPrefix range, Purpose purpose, IpAddress node, IpFamily family) {
    return host.parent(family)
        .map(parent -> route(range, purpose, parent, node, 0, nonDeviceProtocol()));
  }

  private Optional<DesiredRoute> tunnel(ClusterNode node, IpPrefix range, IpFamily family) {
    String device = VxlanDevice.calico(family);
    RouteProtocol protocol = new RouteProtocol(config.deviceRouteProtocol());
    return node.vxlanAddress(family)
        .map(
            address ->
                range.equals(IpPrefix.host(address))
                    ? route(range, Purpose.VXLAN_TUNNEL, device, null, 0, protocol)
                    : route(
                        range,
                        Purpose.VXLAN_TUNNEL,
                        device,
                        address,
                        Mtus.of(host.mtu(), config, view.pools()).vxlan(family),
                        protocol));
  }

  private RouteProtocol nonDeviceProtocol() {
    return config.deviceRouteProtocol() == RouteProtocol.BOOT.number()
        ? FELIX
        : new RouteProtocol(config.deviceRouteProtocol());
  }

  Map<DesiredRoute.Key, DesiredRoute> ofEndpoint(LocalEndpoint endpoint) {
    Map<DesiredRoute.Key, DesiredRoute> routes = new LinkedHashMap<>();
    for (IpPrefix network : endpoint.networks()) {
      putLocal(routes, network.network(), endpoint);
    }
    if (config.floatingIps()) {
      endpoint
          .floating()
          .forEach(floating -> putLocal(routes, IpPrefix.host(floating.external()), endpoint));
    }
    return routes;
  }

  private void putLocal(
      Map<DesiredRoute.Key, DesiredRoute> routes, IpPrefix destination, LocalEndpoint endpoint) {
    if (destination.isV6() && !config.ipv6Support()) {
      return;
    }
    put(
        routes,
        new DesiredRoute(
            destination,
            Purpose.LOCAL_WORKLOAD,
            destination.isV4()
                ? config.ipv4NormalRoutePriority()
                : config.ipv6NormalRoutePriority(),
            endpoint.interfaceName(),
            null,
            0,
            new RouteProtocol(config.deviceRouteProtocol()),
            (destination.isV4()
                    ? config.deviceRouteSourceAddress()
                    : config.deviceRouteSourceAddressIpv6())
                .orElse(null)));
  }

  private static DesiredRoute route(
      IpPrefix destination,
      Purpose purpose,
      String device,
      @Nullable IpAddress gateway,
      int mtu,
      RouteProtocol protocol) {
    return new DesiredRoute(
        destination,
        purpose,
        DesiredRoute.usualMetric(destination),
        device,
        gateway,
        mtu,
        protocol,
        null);
  }

  private static void put(Map<DesiredRoute.Key, DesiredRoute> routes, DesiredRoute route) {
    routes.put(route.key(), route);
  }
}
