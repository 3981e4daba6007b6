package io.ocicat.agent.kernel;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.CalicoNetwork;
import io.ocicat.agent.desired.Contributions;
import io.ocicat.agent.desired.DesiredRoute;
import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.OwnedRange;
import io.ocicat.agent.desired.Source;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.NextHop;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteProtocol;
import io.ocicat.netlink.route.RouteTable;
import io.ocicat.netlink.route.RouteType;
import io.ocicat.netlink.route.Routes;
import io.ocicat.netlink.route.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings the main routing tables to the desired state. It owns
 *
 * <ul>
 *   <li>routes of Felix's protocol number;
 *   <li>routes on workload interfaces: all, or with {@code removeExternalRoutes} off only those of
 *       the protocols that Felix uses;
 *   <li>routes on the VXLAN devices;
 *   <li>routes of flannel on the node's own links, by {@link OwnedRange};
 * </ul>
 *
 * except the kernel's own and link-local ones, and touches no others. A wanted route that somebody
 * else's route stands in the way of is reported and left alone.
 *
 * <p>Of one batch, additions come before deletions: a route whose metric changes is never absent.
 * For one thread.
 */
final class RouteReconciler {
  /** A CNI plugin adds an interface and its routes before the datastore knows the endpoint. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final RouteProtocol FELIX = new RouteProtocol(80);
  private static final IpPrefix LINK_LOCAL = IpPrefix.parse("fe80::/64");

  private final NetlinkSocket net;
  private final LinkTable links;
  private final DesiredState state;
  private final CalicoNetwork network;
  private final Contributions<DesiredRoute.Key, DesiredRoute> desired;
  private final RepairLog log;
  private final PendingKeys<DesiredRoute.Key> pending;
  private AgentConfig config;

  /** The main tables, foreign routes included. */
  private final Map<DesiredRoute.Key, List<Route>> actual = new HashMap<>();

  /** What was in force after our last change, to tell a repair from a first installation. */
  private final Map<DesiredRoute.Key, DesiredRoute> installed = new HashMap<>();

  /** Where the routes to single addresses lead, to notice that an address has moved. */
  private final Map<DesiredRoute.Key, String> devices = new HashMap<>();

  private final Set<IpAddress> moved = new HashSet<>();
  private final Map<DesiredRoute.Key, String> problems = new HashMap<>();
  private long writes;

  RouteReconciler(
      NetlinkSocket net,
      LinkTable links,
      DesiredState state,
      CalicoNetwork network,
      AgentConfig config,
      RepairLog log,
      LongSupplier nanoTime) {
    this.net = net;
    this.links = links;
    this.state = state;
    this.network = network;
    this.desired = state.routes();
    this.config = config;
    this.log = log;
    this.pending = new PendingKeys<>(nanoTime);
  }

  void configure(AgentConfig wanted) {
    config = wanted;
    pending.now(actual.keySet());
  }

  /** Reads the tables again. */
  void resync() {
    Map<DesiredRoute.Key, List<Route>> read = new HashMap<>();
    for (IpFamily family : IpFamily.values()) {
      for (Route route : net.list(Routes.list(RouteFilter.main(family)))) {
        read.computeIfAbsent(keyOf(route), _ -> new ArrayList<>()).add(route);
      }
    }
    Set<DesiredRoute.Key> suspects = new HashSet<>(read.keySet());
    suspects.addAll(actual.keySet());
    suspects.addAll(desired.keys());
    actual.clear();
    actual.putAll(read);
    pending.now(suspects);
  }

  private static DesiredRoute.Key keyOf(Route route) {
    return new DesiredRoute.Key(route.destination(), route.metric());
  }

  /** The kernel reports a new or changed route. */
  void changed(Route route) {
    if (route.table() != RouteTable.MAIN) {
      return;
    }
    List<Route> there = actual.computeIfAbsent(keyOf(route), _ -> new ArrayList<>());
    // A report does not say whether it replaces another; IPv4 keeps several of one key only where
    // somebody appended them, which the next full reading shows.
    if (!there.equals(List.of(route))) {
      there.clear();
      there.add(route);
      pending.soon(keyOf(route));
    }
  }

  void removed(Route route) {
    if (route.table() != RouteTable.MAIN) {
      return;
    }
    List<Route> there = actual.get(keyOf(route));
    if (there != null && there.removeIf(one -> isSame(one, route))) {
      pending.soon(keyOf(route));
    }
  }

  /**
   * A link appeared, went up or down, or went away. IPv4 does not report the routes that go with
   * it.
   */
  void linkChanged(int index, String name) {
    boolean usable = links.find(index).filter(Link::isUp).isPresent();
    for (Map.Entry<DesiredRoute.Key, List<Route>> entry : actual.entrySet()) {
      boolean uses = entry.getValue().stream().anyMatch(route -> leadsTo(route, index));
      if (uses) {
        if (!usable) {
          entry.getValue().removeIf(route -> leadsTo(route, index));
          installed.remove(entry.getKey());
        }
        pending.soon(entry.getKey());
      }
    }
    desired.forEach(
        (key, route) -> {
          if (route.device().equals(name)) {
            pending.now(key);
          }
        });
  }

  /** The grace of an interface's routes ends when its endpoint is known. */
  void endpointChanged(String interfaceName) {
    links
        .find(interfaceName)
        .ifPresent(
            link ->
                actual.forEach(
                    (key, routes) -> {
                      if (routes.stream().anyMatch(route -> leadsTo(route, link.index()))) {
                        pending.now(key);
                      }
                    }));
  }

  private static boolean leadsTo(Route route, int index) {
    return route.hops().stream()
        .map(NextHop::device)
        .filter(Objects::nonNull)
        .anyMatch(device -> device.index() == index);
  }

  /** Makes the changes that are due, in one batch. */
  void apply() {
    Set<DesiredRoute.Key> changed = desired.takeChanged();
    changed.forEach(this::noteMove);
    pending.now(changed);
    List<DesiredRoute.Key> keys = pending.take();
    if (keys.isEmpty() || config.routeSyncDisabled()) {
      return;
    }
    List<Change> additions = new ArrayList<>();
    List<Change> deletions = new ArrayList<>();
    for (DesiredRoute.Key key : keys) {
      compare(key, additions, deletions);
    }
    additions.addAll(deletions);
    if (!additions.isEmpty()) {
      send(additions);
    }
  }

  /**
   * An address has moved when it was, or is now, a local workload's, and its route led elsewhere;
   * or when it has no route any more. Between other nodes, connections are not this node's.
   */
  private void noteMove(DesiredRoute.Key key) {
    if (!isSingleAddress(key.destination())) {
      return;
    }
    String now = desired.get(key).map(DesiredRoute::device).orElse(null);
    String before = now == null ? devices.remove(key) : devices.put(key, now);
    if (before != null
        && !before.equals(now)
        && (now == null || config.isWorkloadInterface(before) || config.isWorkloadInterface(now))) {
      moved.add(key.destination().address());
    }
  }

  /** A route that an earlier agent left, to a workload that is gone or has moved. */
  private void noteRemoval(Route route) {
    String device = route.device().map(it -> links.name(it.index())).orElse("");
    if (isSingleAddress(route.destination())
        && config.isWorkloadInterface(device)
        && network.endpointOf(device).stream()
            .noneMatch(endpoint -> endpoint.networks().contains(route.destination()))) {
      moved.add(route.destination().address());
    }
  }

  private static boolean isSingleAddress(IpPrefix destination) {
    return destination.length() == destination.address().bitLength();
  }

  /** The addresses that have moved or gone since the last call. */
  Set<IpAddress> takeMoved() {
    Set<IpAddress> taken = Set.copyOf(moved);
    moved.clear();
    return taken;
  }

  /**
   * One change.
   *
   * @param wanted null for a deletion
   */
  private record Change(
      DesiredRoute.Key key, NetlinkRequest request, Route route, @Nullable DesiredRoute wanted) {}

  private void compare(DesiredRoute.Key key, List<Change> additions, List<Change> deletions) {
    List<Route> there = actual.getOrDefault(key, List.of());
    DesiredRoute wanted = desired.get(key).orElse(null);
    if (wanted == null) {
      problems.remove(key);
      installed.remove(key);
      there.stream()
          .filter(this::isOurs)
          .forEach(route -> deleteUnlessInGrace(key, route, deletions));
      return;
    }
    Link link = wanted.isBlackhole() ? null : links.find(wanted.device()).orElse(null);
    if (!wanted.isBlackhole() && (link == null || !link.isUp())) {
      // It comes back with its link.
      problems.put(
          key,
          "route %s waits for link %s, which %s"
              .formatted(wanted, wanted.device(), link == null ? "does not exist" : "is down"));
      return;
    }
    Route route = wanted.on(link);
    if (!there.isEmpty() && isSame(route, there.getFirst())) {
      problems.remove(key);
      pending.succeeded(key);
      installed.put(key, wanted);
      return;
    }
    Optional<Route> foreign = there.stream().filter(one -> !isOurs(one)).findFirst();
    if (foreign.isPresent()) {
      report(
          key,
          "route %s of %s is not installed: %s, which is not ours, is in its place; remove one of them"
              .formatted(wanted, source(key), foreign.get()));
      return;
    }
    if (wanted.equals(installed.get(key))) {
      log.write(
          "route %s of %s was %s by somebody else: restored"
              .formatted(
                  wanted,
                  source(key),
                  there.isEmpty() ? "removed" : "changed to " + there.getFirst()));
    }
    additions.add(new Change(key, Routes.replace(route), route, wanted));
  }

  private String source(DesiredRoute.Key key) {
    return desired.source(key).map(Source::name).orElse("?");
  }

  private void deleteUnlessInGrace(DesiredRoute.Key key, Route route, List<Change> deletions) {
    Optional<Link> link = route.device().map(Device::index).flatMap(links::find);
    boolean unknownWorkload =
        link.isPresent()
            && config.isWorkloadInterface(link.get().name())
            && network.endpointOf(link.get().name()).isEmpty();
    long left = unknownWorkload ? GRACE.toNanos() - links.age(link.get().index()) : 0;
    if (left > 0) {
      pending.in(key, Duration.ofNanos(left));
    } else {
      deletions.add(new Change(key, Routes.delete(route), route, null));
    }
  }

  private boolean isOurs(Route route) {
    boolean eligible =
        (route.type().equals(RouteType.UNICAST) || route.type().equals(RouteType.BLACKHOLE))
            && !route.protocol().equals(RouteProtocol.KERNEL)
            && !route.destination().equals(LINK_LOCAL);
    if (!eligible) {
      return false;
    }
    RouteProtocol configured = new RouteProtocol(config.deviceRouteProtocol());
    boolean felix =
        configured.equals(RouteProtocol.BOOT)
            ? route.protocol().equals(FELIX)
            : route.protocol().equals(FELIX) || route.protocol().equals(configured);
    if (felix) {
      return true;
    }
    String device = route.device().map(it -> links.name(it.index())).orElse("");
    if (state.ownsLink(device) || isFlannels(route, device)) {
      return true;
    }
    return !device.isEmpty()
        && config.isWorkloadInterface(device)
        && (config.removeExternalRoutes() || route.protocol().equals(RouteProtocol.BOOT));
  }

  private boolean isFlannels(Route route, String device) {
    return route.protocol().equals(RouteProtocol.BOOT)
        && route.gateway().isPresent()
        && state.ownedRanges().stream()
            .anyMatch(
                owned ->
                    owned.link().equals(device) && owned.range().contains(route.destination()));
  }

  private void send(List<Change> changes) {
    List<RequestOutcome> outcomes = net.attempt(changes.stream().map(Change::request).toList());
    writes += changes.size();
    for (int i = 0; i < changes.size(); i++) {
      Change change = changes.get(i);
      NetlinkException failure = outcomes.get(i).failure().orElse(null);
      if (failure == null || (change.wanted() == null && failure.is(Errno.ESRCH))) {
        succeeded(change);
      } else {
        report(change.key(), String.valueOf(failure.getMessage()));
        pending.retry(change.key());
      }
    }
  }

  private void succeeded(Change change) {
    List<Route> there = actual.computeIfAbsent(change.key(), _ -> new ArrayList<>());
    DesiredRoute wanted = change.wanted();
    if (wanted != null) {
      there.clear();
      there.add(change.route());
      installed.put(change.key(), wanted);
    } else {
      there.removeIf(one -> isSame(one, change.route()));
      noteRemoval(change.route());
    }
    if (there.isEmpty()) {
      actual.remove(change.key());
    }
    problems.remove(change.key());
    pending.succeeded(change.key());
  }

  private void report(DesiredRoute.Key key, String problem) {
    if (!problem.equals(problems.put(key, problem))) {
      log.write(problem);
    }
  }

  /** Compares what matters: the kernel fills in the rest. */
  private static boolean isSame(Route a, Route b) {
    return a.destination().equals(b.destination())
        && a.type().equals(b.type())
        && a.protocol().equals(b.protocol())
        && a.metric() == b.metric()
        && Objects.equals(a.source(), b.source())
        && a.metrics().mtu() == b.metrics().mtu()
        && (a.type().equals(RouteType.BLACKHOLE) || hasSameHops(a, b))
        && hasSameScope(a, b);
  }

  private static boolean hasSameHops(Route a, Route b) {
    return a.gateway().equals(b.gateway())
        && a.device().equals(b.device())
        && a.hops().size() == b.hops().size();
  }

  private static boolean hasSameScope(Route a, Route b) {
    return a.scope().equals(b.scope())
        || a.scope().equals(Scope.NOWHERE)
        || b.scope().equals(Scope.NOWHERE);
  }

  /** Whether the route that is wanted for the destination is in force. */
  boolean isInForce(DesiredRoute.Key key) {
    return installed.containsKey(key) && !problems.containsKey(key);
  }

  Map<DesiredRoute.Key, String> problems() {
    return Map.copyOf(problems);
  }

  OptionalLong next() {
    return pending.next();
  }

  long writes() {
    return writes;
  }
}
