package io.ocicat.agent.kernel;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.CalicoNetwork;
import io.ocicat.agent.desired.DesiredRoute;
import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.ForwardingKey;
import io.ocicat.agent.desired.HostNetwork;
import io.ocicat.agent.desired.LinkNeighbour;
import io.ocicat.agent.desired.TableContent;
import io.ocicat.agent.filter.DesiredFilter;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.FdbEntry;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Neighbour;
import io.ocicat.netlink.route.Netconf;
import io.ocicat.netlink.route.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The node's kernel: what it has, followed by its reports, and the reconcilers that bring it to the
 * desired state. For one thread.
 */
public final class NodeKernel implements AutoCloseable {
  private static final int USUAL_MTU = 1460;

  /** Routes that go with an address are not reported. */
  private static final Duration ADDRESS_SETTLE = Duration.ofMillis(100);

  private final NetlinkSocket route;
  private final NetlinkSocket netfilter;
  private final DesiredState state;
  private final CalicoNetwork network;
  private final NetNs host;
  private final RepairLog log;
  private final LongSupplier nanoTime;
  private final LinkTable links;
  private final Map<String, TunnelReconciler> tunnels = new LinkedHashMap<>();
  private final NeighbourTable neighbourTable;
  private final EntryReconciler<LinkNeighbour, MacAddress> neighbours;
  private final ForwardingTable forwardingTable;
  private final EntryReconciler<ForwardingKey, IpAddress> forwarding;
  private final RouteReconciler routes;
  private final Map<TableId, TableReconciler> tables = new LinkedHashMap<>();
  private final EndpointSysctls sysctls;
  private final FilterReconciler filter;
  private final @Nullable DeniedConnections denied;
  private final StaleConnections connections;
  private AgentConfig config;
  private List<TableId> felix = List.of();
  private long filterWrites;
  private OptionalLong routesDue = OptionalLong.empty();

  public NodeKernel(
      NetNs host,
      DesiredState state,
      DesiredFilter desiredFilter,
      FilterOptions options,
      CalicoNetwork network,
      AgentConfig config,
      RepairLog log,
      LongSupplier nanoTime) {
    this.route = NetlinkSocket.open(Protocol.ROUTE, host);
    this.netfilter = NetlinkSocket.open(Protocol.NETFILTER, host);
    this.state = state;
    this.network = network;
    this.host = host;
    this.log = log;
    this.config = config;
    this.nanoTime = nanoTime;
    this.links = new LinkTable(nanoTime);
    this.neighbourTable =
        new NeighbourTable(
            route, links, state::ownsLink, name -> this.config.isWorkloadInterface(name));
    this.neighbours =
        new EntryReconciler<>(route, links, neighbourTable, state.neighbours(), log, nanoTime);
    this.forwardingTable = new ForwardingTable(route, links, state);
    this.forwarding =
        new EntryReconciler<>(route, links, forwardingTable, state.forwarding(), log, nanoTime);
    this.routes = new RouteReconciler(route, links, state, network, config, log, nanoTime);
    this.sysctls = new EndpointSysctls(host, links, network, config, log, nanoTime);
    this.filter = new FilterReconciler(netfilter, desiredFilter, links, log, nanoTime);
    if (options.takesOver()) {
      filter.takeOver();
    }
    this.denied =
        options.endsDenied() ? new DeniedConnections(netfilter, desiredFilter, links, log) : null;
    this.connections = new StaleConnections(host, log);
  }

  public void configure(AgentConfig wanted) {
    config = wanted;
    routes.configure(wanted);
    sysctls.configure(wanted);
  }

  /** Reads links and addresses; the rest depends on them. */
  public void resyncLinks() {
    links.replaceAll(route.list(Links.all()), route.list(Addresses.list()));
    tunnels.values().forEach(TunnelReconciler::resync);
    sysctls.resync();
    filter.linksChanged();
  }

  public void resyncRoutes() {
    routesDue = OptionalLong.empty();
    routes.resync();
    neighbours.resync();
    forwarding.resync();
  }

  public void resyncRuleset() {
    tables.values().forEach(TableReconciler::resync);
    filter.resync();
    felix = FelixTables.in(netfilter);
  }

  /** What the node's own network looks like, for {@link CalicoNetwork#follow}. */
  public HostNetwork hostNetwork(Optional<ClusterNode> own) {
    Map<IpFamily, String> parents = new EnumMap<>(IpFamily.class);
    for (IpFamily family : IpFamily.values()) {
      own.flatMap(node -> node.subnet(family))
          .map(IpPrefix::address)
          .flatMap(this::linkWith)
          .ifPresent(link -> parents.put(family, link.name()));
    }
    return new HostNetwork(parents, hostMtu(Set.copyOf(parents.values())));
  }

  /**
   * Felix takes the least MTU of all links that match the pattern, which a link that has nothing to
   * do with workloads makes too small. Where links with the node's addresses match, only they
   * count.
   */
  private int hostMtu(Set<String> parents) {
    Predicate<Link> ofNode = link -> parents.contains(link.name());
    Predicate<Link> matching = link -> config.mtuIfacePattern().matcher(link.name()).find();
    for (Predicate<Link> choice : List.of(ofNode.and(matching), matching, ofNode)) {
      OptionalInt least =
          links.all().stream().filter(Link::isRunning).filter(choice).mapToInt(Link::mtu).min();
      if (least.isPresent()) {
        return least.getAsInt();
      }
    }
    return USUAL_MTU;
  }

  private Optional<Link> linkWith(IpAddress address) {
    return links.all().stream()
        .filter(
            link ->
                links.addresses(link.index()).stream()
                    .anyMatch(prefix -> prefix.address().equals(address)))
        .min((a, b) -> Integer.compare(a.index(), b.index()));
  }

  /** Takes note of a report. */
  public void apply(KernelReport report) {
    switch (report) {
      case KernelReport.OfRouting(Monitor.Event<Record> event) -> {
        switch (event) {
          case Monitor.Changed<Record>(Record object) -> changed(object);
          case Monitor.Removed<Record>(Record object) -> removed(object);
          case Monitor.Lost<Record> _ -> {
            resyncLinks();
            resyncRoutes();
          }
        }
      }
      case KernelReport.OfRuleset(var event) -> {
        switch (event) {
          case Monitor.Changed<?>(Generation generation) -> {
            tables.values().forEach(table -> table.changed(generation));
            filter.changed(generation);
          }
          default -> resyncRuleset();
        }
      }
    }
  }

  private void changed(Record object) {
    switch (object) {
      case Link link -> linkChanged(link);
      case Address address -> {
        links.put(address);
        addressChanged(address);
      }
      case Route it -> routes.changed(it);
      case Neighbour neighbour ->
          neighbourTable
              .keyOf(neighbour)
              .ifPresentOrElse(
                  key -> neighbours.changed(key, NeighbourTable.macOf(neighbour)),
                  () -> neighbours.removed(neighbourTable.anyKeyOf(neighbour)));
      case FdbEntry entry ->
          forwardingTable
              .keyOf(entry)
              .ifPresent(key -> forwarding.changed(key, ForwardingTable.destinationOf(entry)));
      case Netconf netconf -> sysctls.announced(netconf.link());
      default -> {}
    }
  }

  private void removed(Record object) {
    switch (object) {
      case Link link -> {
        links.remove(link.index());
        linkReplaced(link.index(), link.name());
      }
      case Address address -> {
        links.remove(address);
        addressChanged(address);
        if (routesDue.isEmpty()) {
          routesDue = OptionalLong.of(nanoTime.getAsLong() + ADDRESS_SETTLE.toNanos());
        }
      }
      case Route it -> routes.removed(it);
      case Neighbour neighbour -> neighbours.removed(neighbourTable.anyKeyOf(neighbour));
      case FdbEntry entry ->
          forwardingTable
              .keyOf(entry)
              .ifPresent(key -> forwarding.removed(key, ForwardingTable.destinationOf(entry)));
      default -> {}
    }
  }

  private void linkChanged(Link link) {
    Link before = links.put(link);
    if (before == null) {
      linkReplaced(link.index(), link.name());
    } else if (!before.name().equals(link.name())) {
      linkReplaced(link.index(), before.name());
      linkReplaced(link.index(), link.name());
    } else if (before.isUp() != link.isUp() || before.isRunning() != link.isRunning()) {
      routes.linkChanged(link.index(), link.name());
      sysctls.changed(link.name());
    }
    tunnelChanged(link.name());
  }

  /** The link of this name is another one now, or none. */
  private void linkReplaced(int index, String name) {
    routes.linkChanged(index, name);
    neighbours.linkReplaced(name);
    forwarding.linkReplaced(name);
    sysctls.changed(name);
    tunnels.values().forEach(TunnelReconciler::changed);
    filter.linksChanged();
  }

  /** Host endpoints may be known by their addresses. */
  private void addressChanged(Address address) {
    filter.linksChanged();
    tunnelChanged(links.name(address.device().index()));
  }

  private void tunnelChanged(String name) {
    TunnelReconciler tunnel = tunnels.get(name);
    if (tunnel != null) {
      tunnel.changed();
    }
  }

  /** An endpoint came, changed or went. */
  public void endpointChanged(String interfaceName) {
    routes.endpointChanged(interfaceName);
    sysctls.changed(interfaceName);
  }

  /** Looks at what the kernel does not report. */
  public void poll() {
    sysctls.poll();
  }

  /**
   * Makes the changes that are due: policy first, so that nothing is reached before it is closed;
   * tunnels, then entries and rules, then routes.
   */
  public void apply() {
    if (routesDue.isPresent() && routesDue.getAsLong() - nanoTime.getAsLong() <= 0) {
      resyncRoutes();
    }
    applyFilter();
    addTunnels();
    tunnels.values().forEach(this::applyTunnel);
    forwarding.apply();
    neighbours.apply();
    applyTables();
    sysctls.apply();
    routes.apply();
    connections.delete(routes.takeMoved());
  }

  private void applyFilter() {
    filter.apply();
    if (filter.writes() != filterWrites) {
      filterWrites = filter.writes();
      felix = FelixTables.in(netfilter);
      if (denied != null) {
        Map<IpAddress, String> workloads = new HashMap<>();
        for (String name : network.interfaces()) {
          network
              .endpointOf(name)
              .ifPresent(
                  endpoint ->
                      endpoint.networks().forEach(prefix -> workloads.put(prefix.address(), name)));
        }
        denied.end(workloads);
      }
    }
  }

  private void applyTables() {
    for (TableContent content : state.tables().values()) {
      tables
          .computeIfAbsent(content.table(), id -> new TableReconciler(id, netfilter, log, nanoTime))
          .apply(content);
    }
    tables.forEach(
        (id, table) -> {
          if (!state.tables().containsKey(id)) {
            table.remove();
          }
        });
  }

  /** What is on a device is ours from now on, so it is read again. */
  private void addTunnels() {
    List<String> added =
        state.tunnels().stream().filter(name -> !tunnels.containsKey(name)).toList();
    added.forEach(
        name ->
            tunnels.put(
                name, new TunnelReconciler(name, host, route, links, state, log, nanoTime)));
    if (!added.isEmpty()) {
      resyncRoutes();
    }
  }

  private void applyTunnel(TunnelReconciler tunnel) {
    String name = tunnel.name();
    int before = links.find(name).map(Link::index).orElse(0);
    tunnel.apply();
    int after = links.find(name).map(Link::index).orElse(0);
    if (before != after) {
      linkReplaced(after == 0 ? before : after, name);
    }
  }

  /** Whether the endpoint's link is up and everything for it is in force. */
  public boolean isReady(LocalEndpoint endpoint) {
    String name = endpoint.interfaceName();
    return links.find(name).filter(Link::isRunning).isPresent()
        && network.endpointOf(name).filter(endpoint::equals).isPresent()
        && sysctls.isInForce(name)
        && filter.isInForce(name)
        && tables.values().stream().allMatch(table -> table.problem().isEmpty())
        && endpoint.networks().stream().allMatch(network -> isRouted(network.network(), name));
  }

  /** Where two endpoints claim one address, only one of them has the route. */
  private boolean isRouted(IpPrefix destination, String interfaceName) {
    if (destination.isV6() && !config.ipv6Support()) {
      return true;
    }
    DesiredRoute.Key key =
        new DesiredRoute.Key(
            destination,
            destination.isV4()
                ? config.ipv4NormalRoutePriority()
                : config.ipv6NormalRoutePriority());
    return config.routeSyncDisabled()
        || (routes.isInForce(key)
            && state
                .routes()
                .get(key)
                .filter(wanted -> wanted.device().equals(interfaceName))
                .isPresent());
  }

  /** What is not as desired, and why: one line each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    problems.addAll(tunnelProblems());
    problems.addAll(forwarding.problems().values());
    problems.addAll(neighbours.problems().values());
    tables.values().forEach(table -> table.problem().ifPresent(problems::add));
    problems.addAll(filter.problems());
    if (!felix.isEmpty()) {
      problems.add(FelixTables.problem(felix));
    }
    problems.addAll(sysctls.problems().values());
    problems.addAll(routes.problems().values());
    return problems;
  }

  /** Why a tunnel is not as desired: other nodes' workloads cannot be reached through it. */
  public List<String> tunnelProblems() {
    return tunnels.values().stream().flatMap(tunnel -> tunnel.problem().stream()).toList();
  }

  /** How many changes were sent to the kernel so far. */
  public long writes() {
    return tunnels.values().stream().mapToLong(TunnelReconciler::writes).sum()
        + forwarding.writes()
        + neighbours.writes()
        + tables.values().stream().mapToLong(TableReconciler::writes).sum()
        + filter.writes()
        + sysctls.writes()
        + routes.writes();
  }

  /** When something is due next, by the clock of {@code nanoTime}. */
  public OptionalLong next() {
    return Stream.of(
            tunnels.values().stream().map(TunnelReconciler::next),
            tables.values().stream().map(TableReconciler::next),
            Stream.of(
                forwarding.next(),
                neighbours.next(),
                filter.next(),
                sysctls.next(),
                routes.next(),
                routesDue))
        .flatMap(next -> next)
        .filter(OptionalLong::isPresent)
        .mapToLong(OptionalLong::getAsLong)
        .min();
  }

  @Override
  public void close() {
    connections.close();
    route.close();
    netfilter.close();
  }
}
