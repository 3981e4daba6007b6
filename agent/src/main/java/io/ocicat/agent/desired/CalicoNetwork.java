package io.ocicat.agent.desired;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.Source.Origin;
import io.ocicat.agent.view.AddressBlock;
import io.ocicat.agent.view.ClusterNode;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.agent.view.ViewChange;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Calico's part of a node's {@link DesiredState}, computed from a {@link WatchedCluster}. It is
 * always what {@link RouteRules} and {@link NatRules} say of the whole view, whatever the order of
 * changes; a change is only computed for what depends on it:
 *
 * <ul>
 *   <li>a block or an endpoint for itself;
 *   <li>another node for the blocks that it owns or borrows from;
 *   <li>pools, configuration, this node or its links for everything.
 * </ul>
 *
 * For one thread.
 */
public final class CalicoNetwork {
  private final WatchedCluster view;
  private AgentConfig config;
  private HostNetwork host = HostNetwork.UNKNOWN;

  private final DesiredState state;

  /** By interface: the endpoint that has it, the first by name where several claim it. */
  private final Map<String, TreeMap<String, LocalEndpoint>> interfaces = new HashMap<>();

  private final Map<ResourceKey, LocalEndpoint> knownEndpoints = new HashMap<>();

  /** Which blocks depend on a node. */
  private final Map<String, Set<IpPrefix>> blocksByNode = new HashMap<>();

  private final Map<IpPrefix, Set<String>> nodesByBlock = new HashMap<>();
  private @Nullable NatRules nat;

  public CalicoNetwork(WatchedCluster view, AgentConfig config, DesiredState state) {
    this.view = view;
    this.config = config;
    this.state = state;
  }

  /** The endpoint that an interface belongs to. */
  public Optional<LocalEndpoint> endpointOf(String interfaceName) {
    return Optional.ofNullable(interfaces.get(interfaceName))
        .map(candidates -> candidates.firstEntry().getValue());
  }

  /** The endpoint of that key, as of the last {@link #update}. */
  public Optional<LocalEndpoint> endpoint(ResourceKey key) {
    return Optional.ofNullable(knownEndpoints.get(key));
  }

  public Set<String> interfaces() {
    return Set.copyOf(interfaces.keySet());
  }

  /** What is translated, as of the last change. */
  Optional<NatRules> nat() {
    return Optional.ofNullable(nat);
  }

  /** Whether packets of a family travel by VXLAN, in any pool. */
  private boolean usesVxlan(IpFamily family) {
    return view.pools().stream()
        .anyMatch(
            pool ->
                pool.vxlan() != IpPool.Tunnel.NEVER
                    && IpFamily.of(pool.cidr().address()) == family
                    && (family == IpFamily.V4 || config.ipv6Support()));
  }

  private boolean usesIpip() {
    return view.pools().stream()
        .anyMatch(pool -> pool.ipip() != IpPool.Tunnel.NEVER && pool.cidr().isV4());
  }

  /** The MTU that workloads can use: what the largest encapsulation in use leaves. */
  public int workloadMtu() {
    return mtus().pods();
  }

  private Mtus mtus() {
    return Mtus.of(host.mtu(), config, view.pools());
  }

  /** Computes everything again, whatever was known before. */
  public void rebuild() {
    Set<Source> sources = new HashSet<>();
    Set<IpPrefix> blocks = new HashSet<>(view.blocks().keySet());
    blocks.forEach(cidr -> sources.add(sourceOf(cidr)));
    view.nodes().keySet().forEach(name -> sources.add(sourceOf(name)));
    view.endpoints().keySet().forEach(key -> sources.add(sourceOf(key)));
    state.routes().retain(Origin.CALICO, sources);
    state.neighbours().retain(Origin.CALICO, sources);
    state.forwarding().retain(Origin.CALICO, sources);
    Set.copyOf(knownEndpoints.keySet()).forEach(this::computeEndpoint);
    blocks.addAll(nodesByBlock.keySet());
    blocks.forEach(this::index);
    computeAll();
  }

  private static Source sourceOf(String node) {
    return sourceOf(ResourceKey.of(Kind.NODE, node));
  }

  private static Source sourceOf(IpPrefix block) {
    return sourceOf(new ResourceKey.Block(block));
  }

  private static Source sourceOf(ResourceKey key) {
    return new Source(Origin.CALICO, key.describe());
  }

  /** Follows changes of the view. */
  public void update(Set<ViewChange> changes) {
    boolean everything =
        changes.stream()
            .anyMatch(
                change ->
                    change instanceof ViewChange.PoolsChanged
                        || change.equals(new ViewChange.NodeChanged(view.localNode())));
    if (everything) {
      changes.forEach(this::forget);
      computeAll();
      return;
    }
    Set<IpPrefix> blocks = new HashSet<>();
    for (ViewChange change : changes) {
      switch (change) {
        case ViewChange.BlockChanged(IpPrefix cidr) -> {
          index(cidr);
          blocks.add(cidr);
        }
        case ViewChange.NodeChanged(String name) -> {
          computeNode(name);
          blocks.addAll(blocksByNode.getOrDefault(name, Set.of()));
        }
        case ViewChange.EndpointChanged(ResourceKey key) -> computeEndpoint(key);
        case ViewChange.PoolsChanged _,
            ViewChange.SettingsChanged _,
            ViewChange.ServicesChanged _,
            ViewChange.BgpChanged _,
            ViewChange.ReadinessChanged _ -> {}
      }
    }
    RouteRules rules = rules();
    blocks.forEach(cidr -> computeBlock(cidr, rules));
    computeNat();
  }

  /** Removes what a deleted object contributed, before everything that exists is computed. */
  private void forget(ViewChange change) {
    switch (change) {
      case ViewChange.BlockChanged(IpPrefix cidr) -> {
        index(cidr);
        if (!view.blocks().containsKey(cidr)) {
          computeBlock(cidr, rules());
        }
      }
      case ViewChange.NodeChanged(String name) -> {
        if (view.node(name).isEmpty()) {
          computeNode(name);
        }
      }
      case ViewChange.EndpointChanged(ResourceKey key) -> {
        if (!view.endpoints().containsKey(key)) {
          computeEndpoint(key);
        }
      }
      case ViewChange.PoolsChanged _,
          ViewChange.SettingsChanged _,
          ViewChange.ServicesChanged _,
          ViewChange.BgpChanged _,
          ViewChange.ReadinessChanged _ -> {}
    }
  }

  /** Applies another configuration; nothing happens when it is the same. */
  public void configure(AgentConfig wanted) {
    if (!config.equals(wanted)) {
      config = wanted;
      computeAll();
    }
  }

  /** Follows the node's own links; nothing happens when they are the same. */
  public void follow(HostNetwork current) {
    if (!host.equals(current)) {
      host = current;
      computeAll();
    }
  }

  private void computeAll() {
    for (IpFamily family : IpFamily.values()) {
      state.setTunnel(VxlanDevice.calico(family), vxlan(family));
    }
    state.setTunnel(IpipDevice.NAME, ipip());
    RouteRules rules = rules();
    view.nodes().keySet().forEach(this::computeNode);
    view.blocks().keySet().forEach(cidr -> computeBlock(cidr, rules));
    view.endpoints().keySet().forEach(this::computeEndpoint);
    computeNat();
  }

  private RouteRules rules() {
    return new RouteRules(view, config, host);
  }

  /** Rules are not comparable, so an unchanged table stays the same object. */
  private void computeNat() {
    NatRules rules = NatRules.of(view, config, state);
    if (!rules.equals(nat)) {
      nat = rules;
      state.setTable(NatTable.of(rules));
    }
  }

  private DesiredTunnel vxlan(IpFamily family) {
    if (!usesVxlan(family)) {
      return new DesiredTunnel.Unused(List.of());
    }
    ClusterNode own = view.node(view.localNode()).orElse(null);
    String parent = host.parent(family).orElse(null);
    IpAddress local = own == null ? null : own.subnet(family).map(IpPrefix::address).orElse(null);
    IpAddress tunnel = own == null ? null : own.vxlanAddress(family).orElse(null);
    String name = VxlanDevice.calico(family);
    if (own == null || parent == null || local == null || tunnel == null) {
      String missing =
          own == null
              ? "Node %s does not exist".formatted(view.localNode())
              : local == null
                  ? "the Node has no %s address".formatted(family)
                  : parent == null
                      ? "no interface has the node's address %s".formatted(local)
                      : "the Node has no tunnel address";
      return new DesiredTunnel.Undecided("%s cannot be made yet: %s".formatted(name, missing));
    }
    return new DesiredTunnel.Present(
        new VxlanDevice(
            name,
            config.vxlanVni(),
            config.vxlanPort(),
            local,
            parent,
            own.vxlanMac(family),
            mtus().vxlan(family),
            tunnel,
            VxlanDevice.Options.NONE));
  }

  private DesiredTunnel ipip() {
    if (!usesIpip()) {
      return new DesiredTunnel.Unused(
          view.pools().stream().map(IpPool::cidr).filter(IpPrefix::isV4).toList());
    }
    return view.node(view.localNode())
        .flatMap(ClusterNode::ipipAddress)
        .<DesiredTunnel>map(
            address -> new DesiredTunnel.Present(new IpipDevice(mtus().ipip(), address)))
        .orElseGet(
            () ->
                new DesiredTunnel.Undecided(
                    IpipDevice.NAME + " cannot be set up yet: the node has no tunnel address"));
  }

  private void index(IpPrefix cidr) {
    Set<String> nodes = new HashSet<>();
    AddressBlock block = view.blocks().get(cidr);
    if (block != null) {
      nodes.addAll(block.borrowed().values());
      Optional.ofNullable(block.owner()).ifPresent(nodes::add);
    }
    Set<String> before =
        Objects.requireNonNullElse(
            nodes.isEmpty() ? nodesByBlock.remove(cidr) : nodesByBlock.put(cidr, nodes), Set.of());
    before.stream()
        .filter(node -> !nodes.contains(node))
        .forEach(
            node ->
                blocksByNode.computeIfPresent(
                    node,
                    (_, blocks) -> {
                      blocks.remove(cidr);
                      return blocks.isEmpty() ? null : blocks;
                    }));
    nodes.forEach(node -> blocksByNode.computeIfAbsent(node, _ -> new HashSet<>()).add(cidr));
  }

  private void computeBlock(IpPrefix cidr, RouteRules rules) {
    AddressBlock block = view.blocks().get(cidr);
    state.routes().set(sourceOf(cidr), block == null ? Map.of() : rules.ofBlock(block));
  }

  /** The other end of the tunnel. */
  private void computeNode(String name) {
    Map<LinkNeighbour, MacAddress> macs = new HashMap<>();
    Map<ForwardingKey, IpAddress> destinations = new HashMap<>();
    ClusterNode node = view.node(name).orElse(null);
    if (node != null && !name.equals(view.localNode())) {
      for (IpFamily family : IpFamily.values()) {
        IpAddress tunnel = node.vxlanAddress(family).orElse(null);
        IpAddress address = node.address(family).orElse(null);
        if (usesVxlan(family) && tunnel != null && address != null) {
          String device = VxlanDevice.calico(family);
          macs.put(new LinkNeighbour(device, tunnel), node.vxlanMac(family));
          destinations.put(new ForwardingKey(device, node.vxlanMac(family)), address);
        }
      }
    }
    Source source = sourceOf(name);
    state.neighbours().set(source, macs);
    state.forwarding().set(source, destinations);
  }

  private void computeEndpoint(ResourceKey key) {
    LocalEndpoint endpoint = view.endpoints().get(key);
    Source source = sourceOf(key);
    LocalEndpoint before =
        endpoint == null ? knownEndpoints.remove(key) : knownEndpoints.put(key, endpoint);
    if (before != null
        && (endpoint == null || !before.interfaceName().equals(endpoint.interfaceName()))) {
      interfaces.computeIfPresent(
          before.interfaceName(),
          (_, candidates) -> {
            candidates.remove(source.name());
            return candidates.isEmpty() ? null : candidates;
          });
    }
    if (endpoint == null) {
      state.routes().set(source, Map.of());
      state.neighbours().set(source, Map.of());
      return;
    }
    interfaces
        .computeIfAbsent(endpoint.interfaceName(), _ -> new TreeMap<>())
        .put(source.name(), endpoint);
    state.routes().set(source, rules().ofEndpoint(endpoint));
    state.neighbours().set(source, neighboursOf(endpoint));
  }

  /** IPv4 only: IPv6 workloads answer for their addresses themselves. */
  private static Map<LinkNeighbour, MacAddress> neighboursOf(LocalEndpoint endpoint) {
    Map<LinkNeighbour, MacAddress> macs = new HashMap<>();
    MacAddress mac = endpoint.mac();
    if (mac != null) {
      for (IpPrefix network : endpoint.networks()) {
        if (network.isV4()) {
          macs.put(new LinkNeighbour(endpoint.interfaceName(), network.address()), mac);
        }
      }
    }
    return macs;
  }
}
