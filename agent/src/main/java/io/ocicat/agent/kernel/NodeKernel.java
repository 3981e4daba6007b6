package io.ocicat.agent.kernel;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.DesiredNetwork;
import io.ocicat.agent.desired.DesiredRoute;
import io.ocicat.agent.desired.ForwardingKey;
import io.ocicat.agent.desired.HostNetwork;
import io.ocicat.agent.desired.LinkNeighbour;
import io.ocicat.agent.desired.NatRules;
import io.ocicat.agent.desired.NatTable;
import io.ocicat.agent.desired.TableContent;
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
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Neighbour;
import io.ocicat.netlink.route.Netconf;
import io.ocicat.netlink.route.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
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
  private final DesiredNetwork desired;
  private final LongSupplier nanoTime;
  private final LinkTable links;
  private final Map<IpFamily, VxlanReconciler> vxlans = new EnumMap<>(IpFamily.class);
  private final NeighbourTable neighbourTable;
  private final EntryReconciler<LinkNeighbour, MacAddress> neighbours;
  private final ForwardingTable forwardingTable;
  private final EntryReconciler<ForwardingKey, IpAddress> forwarding;
  private final RouteReconciler routes;
  private final TableReconciler nat;
  private final EndpointSysctls sysctls;
  private AgentConfig config;
  private @Nullable NatRules natRules;
  private @Nullable TableContent natContent;
  private OptionalLong routesDue = OptionalLong.empty();

  public NodeKernel(
      NetNs host,
      DesiredNetwork desired,
      AgentConfig config,
      RepairLog log,
      LongSupplier nanoTime) {
    this.route = NetlinkSocket.open(Protocol.ROUTE, host);
    this.netfilter = NetlinkSocket.open(Protocol.NETFILTER, host);
    this.desired = desired;
    this.config = config;
    this.nanoTime = nanoTime;
    this.links = new LinkTable(nanoTime);
    for (IpFamily family : IpFamily.values()) {
      vxlans.put(family, new VxlanReconciler(family, route, links, desired, log, nanoTime));
    }
    this.neighbourTable =
        new NeighbourTable(route, links, name -> this.config.isWorkloadInterface(name));
    this.neighbours =
        new EntryReconciler<>(route, links, neighbourTable, desired.neighbours(), log, nanoTime);
    this.forwardingTable = new ForwardingTable(route, links);
    this.forwarding =
        new EntryReconciler<>(route, links, forwardingTable, desired.forwarding(), log, nanoTime);
    this.routes = new RouteReconciler(route, links, desired, config, log, nanoTime);
    this.nat = new TableReconciler(NatTable.ID, netfilter, log, nanoTime);
    this.sysctls = new EndpointSysctls(host, links, desired, config, log, nanoTime);
  }

  public void configure(AgentConfig wanted) {
    config = wanted;
    routes.configure(wanted);
    sysctls.configure(wanted);
  }

  /** Reads links and addresses; the rest depends on them. */
  public void resyncLinks() {
    links.replaceAll(route.list(Links.all()), route.list(Addresses.list()));
    vxlans.values().forEach(VxlanReconciler::resync);
    sysctls.resync();
  }

  public void resyncRoutes() {
    routesDue = OptionalLong.empty();
    routes.resync();
    neighbours.resync();
    forwarding.resync();
  }

  public void resyncRuleset() {
    nat.resync();
  }

  /** What the node's own network looks like, for {@link DesiredNetwork#follow}. */
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
          case Monitor.Changed<?>(Generation generation) -> nat.changed(generation);
          default -> nat.resync();
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
    vxlans.values().stream()
        .filter(vxlan -> vxlan.name().equals(link.name()))
        .forEach(VxlanReconciler::changed);
  }

  /** The link of this name is another one now, or none. */
  private void linkReplaced(int index, String name) {
    routes.linkChanged(index, name);
    neighbours.linkReplaced(name);
    forwarding.linkReplaced(name);
    sysctls.changed(name);
    vxlans.values().forEach(VxlanReconciler::changed);
  }

  private void addressChanged(Address address) {
    String name = links.name(address.device().index());
    vxlans.values().stream()
        .filter(vxlan -> vxlan.name().equals(name))
        .forEach(VxlanReconciler::changed);
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

  /** Makes the changes that are due: devices, then entries and rules, then routes. */
  public void apply() {
    if (routesDue.isPresent() && routesDue.getAsLong() - nanoTime.getAsLong() <= 0) {
      resyncRoutes();
    }
    vxlans.values().forEach(this::applyDevice);
    forwarding.apply();
    neighbours.apply();
    nat.apply(natTable());
    sysctls.apply();
    routes.apply();
  }

  /** Rules are not comparable, so an unchanged table stays the same object. */
  private TableContent natTable() {
    NatRules rules = desired.nat();
    TableContent content = natContent;
    if (content == null || !rules.equals(natRules)) {
      content = NatTable.of(rules);
      natContent = content;
      natRules = rules;
    }
    return content;
  }

  private void applyDevice(VxlanReconciler vxlan) {
    int before = links.find(vxlan.name()).map(Link::index).orElse(0);
    vxlan.apply();
    int after = links.find(vxlan.name()).map(Link::index).orElse(0);
    if (before != after) {
      linkReplaced(after == 0 ? before : after, vxlan.name());
    }
  }

  /** Whether the endpoint's link is up and everything for it is in force. */
  public boolean isReady(LocalEndpoint endpoint) {
    String name = endpoint.interfaceName();
    return links.find(name).filter(Link::isRunning).isPresent()
        && desired.endpointOf(name).filter(endpoint::equals).isPresent()
        && sysctls.isInForce(name)
        && nat.problem().isEmpty()
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
            && desired
                .routes()
                .get(key)
                .filter(wanted -> wanted.device().equals(interfaceName))
                .isPresent());
  }

  /** What is not as desired, and why: one line each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    vxlans.values().forEach(vxlan -> vxlan.problem().ifPresent(problems::add));
    problems.addAll(forwarding.problems().values());
    problems.addAll(neighbours.problems().values());
    nat.problem().ifPresent(problems::add);
    problems.addAll(sysctls.problems().values());
    problems.addAll(routes.problems().values());
    return problems;
  }

  /** How many changes were sent to the kernel so far. */
  public long writes() {
    return vxlans.values().stream().mapToLong(VxlanReconciler::writes).sum()
        + forwarding.writes()
        + neighbours.writes()
        + nat.writes()
        + sysctls.writes()
        + routes.writes();
  }

  /** When something is due next, by the clock of {@code nanoTime}. */
  public OptionalLong next() {
    return Stream.concat(
            vxlans.values().stream().map(VxlanReconciler::next),
            Stream.of(
                forwarding.next(),
                neighbours.next(),
                nat.next(),
                sysctls.next(),
                routes.next(),
                routesDue))
        .filter(OptionalLong::isPresent)
        .mapToLong(OptionalLong::getAsLong)
        .min();
  }

  @Override
  public void close() {
    route.close();
    netfilter.close();
  }
}
