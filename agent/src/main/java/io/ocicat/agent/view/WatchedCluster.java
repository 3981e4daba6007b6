package io.ocicat.agent.view;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The cluster as the agent of one node sees it: the latest state of every resource that matters to
 * it. Events may come in any order, repeated or coalesced; the view only ever depends on the last
 * state of each resource. What cannot be read keeps its last good state and is named in {@link
 * #problems}. For one thread.
 */
public final class WatchedCluster {
  /** The kinds to follow. */
  public static final Set<Kind> KINDS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Kind.NODE,
              Kind.IP_POOL,
              Kind.IPAM_BLOCK,
              Kind.WORKLOAD_ENDPOINT,
              Kind.FELIX_CONFIGURATION,
              Kind.BGP_CONFIGURATION,
              Kind.BGP_PEER,
              Kind.BGP_FILTER,
              Kind.CLUSTER_INFORMATION));

  private static final String DEFAULT = "default";
  private static final List<String> SERVICE_RANGES =
      List.of("serviceClusterIPs", "serviceExternalIPs", "serviceLoadBalancerIPs");

  private final String localNode;
  private final Set<Kind> listed = EnumSet.noneOf(Kind.class);
  private final Map<String, ClusterNode> nodes = new TreeMap<>();
  private final Map<String, Map<String, String>> nodeLabels = new HashMap<>();
  private final Map<String, IpPool> pools = new TreeMap<>();
  private final Map<IpPrefix, AddressBlock> blocks = new HashMap<>();
  private final Map<ResourceKey, LocalEndpoint> endpoints = new HashMap<>();
  private final Map<String, Resource> settings = new TreeMap<>();
  private final Map<String, BgpNode> bgpNodes = new TreeMap<>();
  private final Map<String, BgpConfiguration> bgpConfigurations = new TreeMap<>();
  private final Map<String, BgpPeer> bgpPeers = new TreeMap<>();
  private final Map<String, BgpFilter> bgpFilters = new TreeMap<>();
  private List<IpPrefix> services = List.of();
  private boolean datastoreReady = true;
  private final Map<ResourceKey, String> problems = new HashMap<>();

  public WatchedCluster(String localNode) {
    this.localNode = localNode;
  }

  public String localNode() {
    return localNode;
  }

  /** Whether every kind has been listed, so that what is absent really does not exist. */
  public boolean isComplete() {
    return listed.containsAll(KINDS);
  }

  public Map<String, ClusterNode> nodes() {
    return Collections.unmodifiableMap(nodes);
  }

  public Optional<ClusterNode> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** The labels of a node. */
  public Map<String, String> labels(String node) {
    return nodeLabels.getOrDefault(node, Map.of());
  }

  public Collection<IpPool> pools() {
    return Collections.unmodifiableCollection(pools.values());
  }

  public Map<IpPrefix, AddressBlock> blocks() {
    return Collections.unmodifiableMap(blocks);
  }

  public Map<ResourceKey, LocalEndpoint> endpoints() {
    return Collections.unmodifiableMap(endpoints);
  }

  /** FelixConfigurations by name. */
  public Map<String, Resource> settings() {
    return Collections.unmodifiableMap(settings);
  }

  /** The ranges of service addresses. */
  public List<IpPrefix> services() {
    return services;
  }

  /** The nodes as BGP speakers, by name. */
  public Map<String, BgpNode> bgpNodes() {
    return Collections.unmodifiableMap(bgpNodes);
  }

  /** BGPConfigurations by name. */
  public Map<String, BgpConfiguration> bgpConfigurations() {
    return Collections.unmodifiableMap(bgpConfigurations);
  }

  /** BGPPeers by name. */
  public Map<String, BgpPeer> bgpPeers() {
    return Collections.unmodifiableMap(bgpPeers);
  }

  /** BGPFilters by name. */
  public Map<String, BgpFilter> bgpFilters() {
    return Collections.unmodifiableMap(bgpFilters);
  }

  /** False while somebody migrates the datastore: then nothing must change. */
  public boolean isDatastoreReady() {
    return datastoreReady;
  }

  /** Resources that cannot be read, with the reason. */
  public Map<ResourceKey, String> problems() {
    return Collections.unmodifiableMap(problems);
  }

  /** Takes note of an event and returns what is different now. */
  public Set<ViewChange> apply(ViewEvent event) {
    return switch (event) {
      case ViewEvent.Listed list -> replaceAll(list);
      case ViewEvent.Changed changed -> {
        Set<ViewChange> changes = new LinkedHashSet<>();
        changed.events().forEach(one -> apply(one, changes));
        yield changes;
      }
      case ViewEvent.Unreachable _, ViewEvent.Reachable _ -> Set.of();
    };
  }

  private Set<ViewChange> replaceAll(ViewEvent.Listed list) {
    listed.add(list.kind());
    Set<ViewChange> changes = new LinkedHashSet<>();
    Set<ResourceKey> present = new HashSet<>();
    for (Resource resource : list.resources()) {
      present.add(resource.key());
      put(resource, changes);
    }
    for (ResourcePage.Unreadable unreadable : list.unreadable()) {
      ResourceKey key = unreadable.key();
      if (key != null) {
        present.add(key);
        problems.put(key, unreadable.problem());
      }
    }
    Set<ResourceKey> known = new LinkedHashSet<>(keysOf(list.kind()));
    problems.keySet().stream().filter(key -> key.kind() == list.kind()).forEach(known::add);
    for (ResourceKey key : known) {
      if (!present.contains(key)) {
        remove(key, changes);
      }
    }
    return changes;
  }

  private List<ResourceKey> keysOf(Kind kind) {
    return switch (kind) {
      case NODE -> named(kind, nodes.keySet());
      case IP_POOL -> named(kind, pools.keySet());
      case FELIX_CONFIGURATION -> named(kind, settings.keySet());
      case IPAM_BLOCK -> blocks.keySet().stream().<ResourceKey>map(ResourceKey.Block::new).toList();
      case WORKLOAD_ENDPOINT -> List.copyOf(endpoints.keySet());
      case BGP_CONFIGURATION -> named(kind, bgpConfigurations.keySet());
      case BGP_PEER -> named(kind, bgpPeers.keySet());
      case BGP_FILTER -> named(kind, bgpFilters.keySet());
      case CLUSTER_INFORMATION -> List.of(ResourceKey.of(kind, DEFAULT));
      default -> List.of();
    };
  }

  private static List<ResourceKey> named(Kind kind, Set<String> names) {
    return names.stream().map(name -> ResourceKey.of(kind, name)).toList();
  }

  private void apply(ResourceEvent event, Set<ViewChange> changes) {
    switch (event) {
      case ResourceEvent.Added added -> put(added.resource(), changes);
      case ResourceEvent.Modified modified -> put(modified.resource(), changes);
      case ResourceEvent.Deleted deleted -> remove(deleted.key(), changes);
      case ResourceEvent.Unreadable unreadable ->
          problems.put(unreadable.key(), unreadable.problem());
    }
  }

  private void put(Resource resource, Set<ViewChange> changes) {
    try {
      read(resource, changes);
      problems.remove(resource.key());
    } catch (CorruptException | IllegalArgumentException e) {
      problems.put(resource.key(), String.valueOf(e.getMessage()));
    }
  }

  private void read(Resource resource, Set<ViewChange> changes) {
    String name = resource.key().name();
    switch (resource.kind()) {
      case NODE -> {
        boolean relabelled = !resource.labels().equals(nodeLabels.put(name, resource.labels()));
        if (relabelled && name.equals(localNode)) {
          changes.add(new ViewChange.SettingsChanged());
        }
        if (isNew(nodes, name, ClusterNode.of(resource))) {
          changes.add(new ViewChange.NodeChanged(name));
        }
        noteBgp(isNew(bgpNodes, name, BgpNode.of(resource)), changes);
      }
      case IP_POOL -> {
        if (isNew(pools, name, IpPool.of(resource))) {
          changes.add(new ViewChange.PoolsChanged());
        }
      }
      case IPAM_BLOCK -> {
        AddressBlock block = AddressBlock.of(resource);
        if (isNew(blocks, block.cidr(), block)) {
          changes.add(new ViewChange.BlockChanged(block.cidr()));
        }
      }
      case WORKLOAD_ENDPOINT -> readEndpoint(resource, changes);
      case FELIX_CONFIGURATION -> {
        Resource before = settings.put(name, resource);
        if (before == null || !before.content().equals(resource.content())) {
          changes.add(new ViewChange.SettingsChanged());
        }
      }
      case BGP_CONFIGURATION -> {
        if (name.equals(DEFAULT)) {
          setServices(resource, changes);
        }
        noteBgp(isNew(bgpConfigurations, name, BgpConfiguration.of(resource)), changes);
      }
      case BGP_PEER -> noteBgp(isNew(bgpPeers, name, BgpPeer.of(resource)), changes);
      case BGP_FILTER -> noteBgp(isNew(bgpFilters, name, BgpFilter.of(resource)), changes);
      case CLUSTER_INFORMATION -> {
        if (name.equals(DEFAULT)) {
          setReady(resource.read(json -> json.at("/spec/datastoreReady").asBoolean(true)), changes);
        }
      }
      default -> {}
    }
  }

  private void readEndpoint(Resource resource, Set<ViewChange> changes) {
    Optional<LocalEndpoint> endpoint =
        LocalEndpoint.nodeOf(resource).equals(localNode)
            ? LocalEndpoint.of(resource)
            : Optional.empty();
    boolean changed =
        endpoint.isPresent()
            ? isNew(endpoints, resource.key(), endpoint.get())
            : endpoints.remove(resource.key()) != null;
    if (changed) {
      changes.add(new ViewChange.EndpointChanged(resource.key()));
    }
  }

  private void setServices(@Nullable Resource configuration, Set<ViewChange> changes) {
    List<IpPrefix> ranges = new ArrayList<>();
    if (configuration != null) {
      configuration.read(
          json -> {
            for (String member : SERVICE_RANGES) {
              for (JsonNode item : json.path("spec").path(member).values()) {
                IpPrefix.tryParse(item.path("cidr").asString("")).ifPresent(ranges::add);
              }
            }
            return ranges;
          });
    }
    if (!services.equals(ranges)) {
      services = List.copyOf(ranges);
      changes.add(new ViewChange.ServicesChanged());
    }
  }

  private void setReady(boolean ready, Set<ViewChange> changes) {
    if (datastoreReady != ready) {
      datastoreReady = ready;
      changes.add(new ViewChange.ReadinessChanged());
    }
  }

  private static void noteBgp(boolean changed, Set<ViewChange> changes) {
    if (changed) {
      changes.add(new ViewChange.BgpChanged());
    }
  }

  private static <K, V> boolean isNew(Map<K, V> map, K key, V value) {
    return !value.equals(map.put(key, value));
  }

  private void remove(ResourceKey key, Set<ViewChange> changes) {
    problems.remove(key);
    switch (key.kind()) {
      case NODE -> {
        nodeLabels.remove(key.name());
        noteBgp(bgpNodes.remove(key.name()) != null, changes);
        if (nodes.remove(key.name()) != null) {
          changes.add(new ViewChange.NodeChanged(key.name()));
        }
      }
      case IP_POOL -> {
        if (pools.remove(key.name()) != null) {
          changes.add(new ViewChange.PoolsChanged());
        }
      }
      case IPAM_BLOCK -> {
        IpPrefix cidr = ((ResourceKey.Block) key).cidr();
        if (blocks.remove(cidr) != null) {
          changes.add(new ViewChange.BlockChanged(cidr));
        }
      }
      case WORKLOAD_ENDPOINT -> {
        if (endpoints.remove(key) != null) {
          changes.add(new ViewChange.EndpointChanged(key));
        }
      }
      case FELIX_CONFIGURATION -> {
        if (settings.remove(key.name()) != null) {
          changes.add(new ViewChange.SettingsChanged());
        }
      }
      case BGP_CONFIGURATION -> {
        if (key.name().equals(DEFAULT)) {
          setServices(null, changes);
        }
        noteBgp(bgpConfigurations.remove(key.name()) != null, changes);
      }
      case BGP_PEER -> noteBgp(bgpPeers.remove(key.name()) != null, changes);
      case BGP_FILTER -> noteBgp(bgpFilters.remove(key.name()) != null, changes);
      case CLUSTER_INFORMATION -> {
        if (key.name().equals(DEFAULT)) {
          setReady(true, changes);
        }
      }
      default -> {}
    }
  }
}
