package io.ocicat.agent.flannel;

import io.ocicat.agent.desired.DesiredRoute;
import io.ocicat.agent.desired.DesiredRoute.Purpose;
import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.DesiredTunnel;
import io.ocicat.agent.desired.ForwardingKey;
import io.ocicat.agent.desired.LinkNeighbour;
import io.ocicat.agent.desired.OwnedRange;
import io.ocicat.agent.desired.Source;
import io.ocicat.agent.desired.Source.Origin;
import io.ocicat.agent.desired.VxlanDevice;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.route.RouteProtocol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Flannel's part of the desired state, computed from a {@link FlannelView}: everything is as
 * flanneld would make it, so that what a flanneld has left is adopted. For one thread.
 */
public final class FlannelNetwork {
  /** What tells our blackhole from others' routes. */
  private static final RouteProtocol AGENT = new RouteProtocol(80);

  /** After every route that leads to the node's pods, such as that of a bridge. */
  private static final long BLACKHOLE_METRIC = 65_535;

  private static final Source NODE = new Source(Origin.FLANNEL, "flannel");

  private final DesiredState state;
  private @Nullable FlannelView view;
  private final Map<IpFamily, FlannelTable> tables = new HashMap<>();
  private final Set<String> devices = new HashSet<>();
  private List<String> problems = List.of();

  public FlannelNetwork(DesiredState state) {
    this.state = state;
  }

  /**
   * Computes the state for a view.
   *
   * @return whether other routes than before are the agent's, so that they must be read again
   */
  public boolean follow(FlannelView current) {
    FlannelView before = view;
    view = current;
    List<String> found = new ArrayList<>();
    setDevices(current);
    setTables(current);
    Set<Source> sources = new HashSet<>();
    sources.add(NODE);
    state.routes().set(NODE, blackholes(current));
    for (SubnetLease lease : current.others()) {
      Source source = new Source(Origin.FLANNEL, "flannel lease " + lease);
      if (sources.add(source)) {
        new OfLease(current, lease, found).contribute(state, source);
      }
    }
    state.routes().retain(Origin.FLANNEL, sources);
    state.neighbours().retain(Origin.FLANNEL, sources);
    state.forwarding().retain(Origin.FLANNEL, sources);
    problems = List.copyOf(found);
    List<OwnedRange> ranges = ownedRanges(current);
    state.setOwnedRanges(Origin.FLANNEL, ranges);
    return before == null || !ownedRanges(before).equals(ranges);
  }

  /** Leases that cannot be used and why, one line each. */
  public List<String> problems() {
    return problems;
  }

  private static List<OwnedRange> ownedRanges(FlannelView view) {
    return view.conf().enabled().stream()
        .map(
            family ->
                new OwnedRange(view.conf().network(family).orElseThrow(), view.external().name()))
        .toList();
  }

  private void setDevices(FlannelView current) {
    Set<String> wanted = new HashSet<>();
    if (current.conf().backend() instanceof Backend.Vxlan vxlan) {
      for (IpFamily family : current.conf().enabled()) {
        VxlanDevice device = device(current, vxlan, family);
        state.setTunnel(device.name(), new DesiredTunnel.Present(device));
        wanted.add(device.name());
      }
    }
    devices.addAll(current.staleDevices());
    devices.stream()
        .filter(name -> !wanted.contains(name))
        .forEach(name -> state.setTunnel(name, new DesiredTunnel.Unused(List.of())));
    devices.addAll(wanted);
  }

  private static VxlanDevice device(FlannelView view, Backend.Vxlan vxlan, IpFamily family) {
    ExternalInterface external = view.external();
    return new VxlanDevice(
        vxlan.deviceName(family),
        vxlan.vni(),
        vxlan.udpPort(),
        external.address(family).orElseThrow(),
        external.name(),
        view.own().attributes().vtep(family).orElseThrow().mac(),
        vxlan.deviceMtu(family, external.mtu()),
        view.own().subnets().of(family).orElseThrow().first(),
        new VxlanDevice.Options(vxlan.learning(), vxlan.gbp(), true));
  }

  /** Rules are not comparable, so an unchanged table stays the same object. */
  private void setTables(FlannelView current) {
    for (IpFamily family : IpFamily.values()) {
      IpPrefix network = current.conf().network(family).orElse(null);
      if (network == null || !(current.rules().masquerade() || current.rules().forward())) {
        tables.remove(family);
        state.removeTable(FlannelTable.id(family));
        continue;
      }
      FlannelTable table =
          new FlannelTable(
              family, network, current.own().subnets().of(family).orElseThrow(), current.rules());
      if (!table.equals(tables.put(family, table))) {
        state.setTable(table.content());
      }
    }
  }

  private static Map<DesiredRoute.Key, DesiredRoute> blackholes(FlannelView view) {
    Map<DesiredRoute.Key, DesiredRoute> routes = new HashMap<>();
    if (view.rules().blackholeRoute()) {
      for (IpPrefix subnet : view.own().subnets().all()) {
        DesiredRoute route =
            new DesiredRoute(
                subnet, Purpose.BLOCK_DROP, BLACKHOLE_METRIC, "", null, 0, AGENT, null);
        routes.put(route.key(), route);
      }
    }
    return routes;
  }

  /** What one other node's lease leads to. */
  private record OfLease(FlannelView view, SubnetLease lease, List<String> problems) {
    void contribute(DesiredState state, Source source) {
      Map<DesiredRoute.Key, DesiredRoute> routes = new HashMap<>();
      Map<LinkNeighbour, MacAddress> neighbours = new HashMap<>();
      Map<ForwardingKey, IpAddress> forwarding = new HashMap<>();
      Backend backend = view.conf().backend();
      if (!lease.attributes().backendType().equals(backend.type())) {
        String type = lease.attributes().backendType();
        problem(
            "is ignored: its node uses the back end %s, this one %s"
                .formatted(type.isEmpty() ? "udp or alloc" : type, backend.type()));
      } else {
        for (IpFamily family : view.conf().enabled()) {
          IpPrefix subnet = lease.subnets().of(family).orElse(null);
          IpAddress address = lease.attributes().publicAddress(family).orElse(null);
          if (subnet == null || address == null) {
            problem(
                "is not used for %s: it has no %s"
                    .formatted(family, subnet == null ? "subnet" : "public address"));
          } else if (view.own().subnets().of(family).filter(subnet::overlaps).isPresent()) {
            problem("overlaps %s of this node and is not used".formatted(view.own().subnets()));
          } else {
            switch (backend) {
              case Backend.HostGw _ -> viaAddress(subnet, address, routes);
              case Backend.Vxlan vxlan -> {
                if (vxlan.directRouting() && view.external().isDirect(address)) {
                  viaAddress(subnet, address, routes);
                } else {
                  viaTunnel(vxlan, family, subnet, address, routes, neighbours, forwarding);
                }
              }
            }
          }
        }
      }
      state.routes().set(source, routes);
      state.neighbours().set(source, neighbours);
      state.forwarding().set(source, forwarding);
    }

    private void problem(String what) {
      problems.add("flannel lease %s %s".formatted(lease, what));
    }

    private void viaAddress(
        IpPrefix subnet, IpAddress address, Map<DesiredRoute.Key, DesiredRoute> routes) {
      if (view.external().isElsewhere(address)) {
        problem(
            "cannot be reached by host-gw: %s is not in the subnet of %s; use vxlan"
                .formatted(address, view.external().name()));
        return;
      }
      add(routes, subnet, view.external().name(), address);
    }

    private void viaTunnel(
        Backend.Vxlan vxlan,
        IpFamily family,
        IpPrefix subnet,
        IpAddress address,
        Map<DesiredRoute.Key, DesiredRoute> routes,
        Map<LinkNeighbour, MacAddress> neighbours,
        Map<ForwardingKey, IpAddress> forwarding) {
      VtepData vtep = lease.attributes().vtep(family).orElse(null);
      if (vtep == null) {
        problem("is not used for %s: it has no MAC address of a device".formatted(family));
        return;
      }
      String device = vxlan.deviceName(family);
      neighbours.put(new LinkNeighbour(device, subnet.first()), vtep.mac());
      forwarding.put(new ForwardingKey(device, vtep.mac()), address);
      add(routes, subnet, device, subnet.first());
    }

    private static void add(
        Map<DesiredRoute.Key, DesiredRoute> routes,
        IpPrefix subnet,
        String device,
        IpAddress gateway) {
      DesiredRoute route =
          new DesiredRoute(
              subnet,
              Purpose.FLANNEL,
              DesiredRoute.usualMetric(subnet),
              device,
              gateway,
              0,
              RouteProtocol.BOOT,
              null);
      routes.put(route.key(), route);
    }
  }
}
