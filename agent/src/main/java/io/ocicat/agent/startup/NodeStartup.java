package io.ocicat.agent.startup;

import static io.ocicat.agent.startup.StartupException.Reason.DATASTORE;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.CalicoConventions.Tunnel;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.netlink.ns.NetNs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Does what calico/node does before anything else: registers the node, and creates what the cluster
 * lacks. Every step only does what is missing, so that all of it can be repeated, for instance when
 * the host's addresses change. Does not own what it is given; not thread-safe.
 */
public final class NodeStartup {
  private final Datastore datastore;
  private final DatastoreConfig config;
  private final NetNs host;
  private final StartupSettings settings;
  private final NodeFiles files;
  private final ClockAndRandom sources;

  /**
   * @param host the network namespace whose addresses are the node's
   */
  public NodeStartup(
      Datastore datastore,
      DatastoreConfig config,
      NetNs host,
      StartupSettings settings,
      NodeFiles files,
      ClockAndRandom sources) {
    this.datastore = datastore;
    this.config = config;
    this.host = host;
    this.settings = settings;
    this.files = files;
    this.sources = sources;
  }

  /**
   * Goes through all steps. The file with the node's name comes last: it shows the CNI plugin that
   * the node is registered.
   *
   * @throws StartupException when a step cannot be done; call it again later
   */
  public LocalNode start() {
    String name = LocalNodeName.find(settings, files.nodeName());
    return attempt(
        "node %s cannot be started".formatted(name),
        () -> {
          try (Ipam ipam = Ipam.forOneCall(datastore, sources)) {
            ipam.upgradeHost(name);
          }
          NodeRegistration.Registered registered =
              new NodeRegistration(datastore, host, settings).register(name);
          List<HostInterface> interfaces = interfaces();
          new DefaultPools(datastore, settings, addresses(interfaces), hasIpv6(), sources.random())
              .ensure();
          new ClusterDefaults(datastore, settings, isKubernetes()).ensure(name);
          LocalNode node = complete(registered, interfaces);
          files.writeNodeName(name);
          return node;
        });
  }

  /**
   * Brings the Node in line with the host's addresses and the pools, after either has changed. The
   * address of a node that has one stays where its setting does not ask for detection.
   *
   * @throws StartupException when it cannot be done; what is registered stays
   */
  public LocalNode refresh() {
    String name = LocalNodeName.find(settings, files.nodeName());
    return attempt(
        "node %s cannot be updated".formatted(name),
        () ->
            complete(new NodeRegistration(datastore, host, settings).register(name), interfaces()));
  }

  private LocalNode complete(
      NodeRegistration.Registered registered, List<HostInterface> interfaces) {
    String name = registered.node().key().name();
    List<String> warnings = new ArrayList<>(registered.addresses().warnings());
    List<IpPool> pools = pools(warnings);
    warnings.addAll(PoolOverlaps.find(pools, interfaces));
    Map<Tunnel, IpAddress> tunnels = Map.of();
    if (!usesPodCidr() && !settings.isPolicyOnly()) {
      try (Ipam ipam = Ipam.forOneCall(datastore, sources)) {
        TunnelAddresses.Allocation allocation =
            new TunnelAddresses(datastore, ipam, name).ensure(pools);
        tunnels = allocation.addresses();
        warnings.addAll(allocation.problems());
      }
    }
    List<IpPrefix> podCidrs =
        new PodCidrs(datastore.cluster(), settings).ensure(name, pools, interfaces, warnings);
    return new LocalNode(
        name,
        registered.node().text("metadata", "uid").orElse(""),
        registered.addresses().ipv4(),
        registered.addresses().ipv6(),
        tunnels,
        podCidrs,
        warnings);
  }

  private List<IpPool> pools(List<String> warnings) {
    List<IpPool> pools = new ArrayList<>();
    for (Resource pool : datastore.list(ResourceQuery.of(Kind.IP_POOL)).items()) {
      try {
        pools.add(IpPool.of(pool));
      } catch (CorruptException e) {
        warnings.add(e.getMessage());
      }
    }
    return pools;
  }

  private List<HostInterface> interfaces() {
    return new AddressAutodetection(host, List.of()).interfaces();
  }

  private static List<IpAddress> addresses(List<HostInterface> interfaces) {
    return interfaces.stream()
        .flatMap(one -> one.addresses().stream())
        .map(IpPrefix::address)
        .toList();
  }

  private boolean hasIpv6() {
    return host.visit(() -> Files.exists(Path.of("/proc/sys/net/ipv6")));
  }

  private boolean isKubernetes() {
    return config instanceof DatastoreConfig.Kubernetes;
  }

  /** With host-local IPAM the tunnel address follows from the node's range and is never stored. */
  private boolean usesPodCidr() {
    return config instanceof DatastoreConfig.Kubernetes kubernetes && kubernetes.usePodCidr();
  }

  private static LocalNode attempt(String what, Supplier<LocalNode> steps) {
    try {
      return steps.get();
    } catch (DatastoreException | IpamException e) {
      throw new StartupException(DATASTORE, "%s: %s".formatted(what, e.getMessage()), e);
    }
  }
}
