package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.link.FdbEntry;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Neighbour;
import io.ocicat.netlink.route.NeighbourState;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether this host's kernel has all it needs to send packets to another node, to that
 * node's pods, and to the world outside: routes, neighbours, a VXLAN's forwarding entries,
 * forwarding, MTUs. Changes nothing. The host is read once, so an instance is for one command. Not
 * thread-safe.
 */
public final class PathCheck implements AutoCloseable {
  private static final Path OWN = Path.of("/proc/thread-self/ns/net");
  private static final String AGENT =
      "the node agent makes it: see that `ocicat node` (or calico/node, flanneld) runs here, and its log";

  /** What VXLAN adds to a packet: outer IP, UDP, VXLAN and inner Ethernet headers. */
  private static final int VXLAN_V4 = 50;

  private static final int VXLAN_V6 = 70;

  /** States in which the kernel has no answer. */
  private static final Set<NeighbourState> UNANSWERED =
      Set.of(NeighbourState.FAILED, NeighbourState.INCOMPLETE);

  private final NamespaceState host;

  private PathCheck(NamespaceState host) {
    this.host = host;
  }

  /**
   * Of the network namespace that this process is in.
   *
   * @throws NetlinkException when it cannot be read
   */
  public static PathCheck here() {
    return new PathCheck(NamespaceState.open(OWN));
  }

  /** What keeps packets from another node's own address. */
  public List<Discrepancy> toNode(String node, IpAddress address) {
    List<Discrepancy> found = new ArrayList<>();
    Optional<Route> route = host.usedRoute(address);
    if (route.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.REMOTE_ROUTE,
              "this host's route to %s (%s)".formatted(node, address),
              refusal(address).orElse("missing"),
              "",
              "give this host a route to the other nodes' addresses"));
    } else {
      neighbour(node, route.get().gateway().orElse(address), route.get(), found);
    }
    return found;
  }

  /**
   * What keeps packets from an address of another node's pods.
   *
   * @param node its name
   * @param nodeAddresses its own; empty when they are not known
   * @param pod the address
   */
  public List<Discrepancy> toPods(String node, List<IpAddress> nodeAddresses, IpAddress pod) {
    List<Discrepancy> found = new ArrayList<>(forwarding(IpFamily.of(pod)));
    Optional<Route> best = host.bestRoute(pod);
    Optional<Route> used = host.usedRoute(pod);
    boolean specific = best.filter(route -> route.destination().length() > 0).isPresent();
    if (!specific || used.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.REMOTE_ROUTE,
              "this host's route to %s, a pod on %s".formatted(pod, node),
              refusal(pod)
                  .orElse(
                      best.isEmpty() ? "missing" : "missing, so packets take the default route"),
              "",
              AGENT));
      return found;
    }
    Optional<Link> device = used.get().device().flatMap(dev -> host.link(dev.index()));
    IpAddress hop = used.get().gateway().orElse(pod);
    if (device.filter(link -> link.kind().equals("vxlan")).isPresent()) {
      vxlan(node, nodeAddresses, device.get(), hop, found);
    } else {
      neighbour(node, hop, used.get(), found);
    }
    return found;
  }

  /** What keeps packets from the world outside. */
  public List<Discrepancy> toOutside(IpAddress address) {
    List<Discrepancy> found = new ArrayList<>(forwarding(IpFamily.of(address)));
    Optional<Route> used = host.usedRoute(address);
    if (used.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.DEFAULT_ROUTE,
              "this host's route to " + address,
              refusal(address).orElse("missing, and there is no default route"),
              "",
              "`ip route add default via GATEWAY`"));
    } else {
      neighbour("the gateway", used.get().gateway().orElse(address), used.get(), found);
    }
    return found;
  }

  /** Rules of other programs that drop packets; see what they match before blaming them. */
  public List<Discrepancy> firewall() {
    return ForeignFirewall.in(host.namespace());
  }

  /** Whether packets between interfaces are passed on at all. */
  public List<Discrepancy> forwarding(IpFamily family) {
    return Forwarding.off(host, family, Optional.empty());
  }

  private Optional<String> refusal(IpAddress address) {
    return host.bestRoute(address)
        .map(Route::type)
        .filter(type -> !type.equals(RouteType.UNICAST))
        .map("refused by a route of type %s"::formatted);
  }

  private void neighbour(String node, IpAddress hop, Route route, List<Discrepancy> found) {
    Optional<Link> link = route.device().flatMap(device -> host.link(device.index()));
    if (link.isEmpty()) {
      return;
    }
    if (!link.get().isRunning()) {
      found.add(
          new Discrepancy(
              Kind.INTERFACE_DOWN,
              "interface %s, which leads to %s".formatted(link.get().name(), node),
              link.get().isUp() ? "without a carrier" : "down",
              "up",
              "`ip link set %s up`, or connect it".formatted(link.get().name())));
    } else if (entry(link.get(), hop).filter(one -> UNANSWERED.contains(one.state())).isPresent()) {
      found.add(
          new Discrepancy(
              Kind.NEIGHBOUR,
              "%s (%s)".formatted(hop, node),
              "does not answer on %s".formatted(link.get().name()),
              "",
              "see that the machine is up and on the same network, and has that address"));
    }
  }

  private Optional<Neighbour> entry(Link link, IpAddress address) {
    return host.neighbours(link).stream().filter(one -> one.address().equals(address)).findFirst();
  }

  private void vxlan(
      String node,
      List<IpAddress> nodeAddresses,
      Link device,
      IpAddress hop,
      List<Discrepancy> found) {
    if (!device.isUp()) {
      found.add(
          new Discrepancy(
              Kind.INTERFACE_DOWN,
              "interface " + device.name(),
              "down",
              "up",
              "`ip link set %s up`".formatted(device.name())));
      return;
    }
    Optional<MacAddress> mac =
        entry(device, hop).filter(one -> !UNANSWERED.contains(one.state())).map(Neighbour::mac);
    if (mac.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.NEIGHBOUR,
              "the neighbour entry of %s (%s) on %s".formatted(hop, node, device.name()),
              "missing",
              "",
              AGENT));
      return;
    }
    Optional<IpAddress> tunnel =
        host.fdb(device).stream()
            .filter(entry -> entry.mac().equals(mac.get()))
            .map(FdbEntry::destination)
            .filter(Objects::nonNull)
            .findFirst();
    String object = "the FDB entry of %s (%s) on %s".formatted(mac.get(), node, device.name());
    if (tunnel.isEmpty()) {
      found.add(new Discrepancy(Kind.FDB, object, "missing", "", AGENT));
      return;
    }
    if (!nodeAddresses.isEmpty() && !nodeAddresses.contains(tunnel.get())) {
      found.add(
          new Discrepancy(
              Kind.FDB, object, "to " + tunnel.get(), "to " + nodeAddresses.getFirst(), AGENT));
    }
    found.addAll(toNode(node, tunnel.get()));
    tooLarge(device, tunnel.get()).ifPresent(found::add);
  }

  private Optional<Discrepancy> tooLarge(Link device, IpAddress tunnel) {
    int most = device.mtu() + (tunnel.isV4() ? VXLAN_V4 : VXLAN_V6);
    return host.leavesBy(tunnel)
        .filter(parent -> parent.mtu() < most)
        .map(
            parent ->
                new Discrepancy(
                    Kind.MTU,
                    "MTU of " + device.name(),
                    "%d, which %s (MTU %d) cannot carry"
                        .formatted(device.mtu(), parent.name(), parent.mtu()),
                    "",
                    "`ip link set %s mtu %d`, and give pods that MTU"
                        .formatted(device.name(), parent.mtu() - (most - device.mtu()))));
  }

  @Override
  public void close() {
    host.close();
  }
}
