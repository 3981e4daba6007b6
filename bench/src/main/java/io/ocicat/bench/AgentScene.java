package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.agent.AgentParts;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cluster in a datastore, seen from one of its nodes: a network namespace with an interface and
 * local pods, and any number of other nodes with two blocks each.
 */
final class AgentScene {
  static final String LOCAL = "node-0";
  static final int PODS = 100;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Datastore datastore;
  private final NetNs host;
  private final Path folder;
  private final int nodes;

  /**
   * @param folder for the status files
   */
  AgentScene(Datastore datastore, NetNs host, Path folder, int nodes) {
    this.datastore = datastore;
    this.host = host;
    this.folder = folder;
    this.nodes = nodes;
  }

  Datastore datastore() {
    return datastore;
  }

  NetNs host() {
    return host;
  }

  Path folder() {
    return folder;
  }

  int nodes() {
    return nodes;
  }

  Agent agent() {
    AgentConfig config =
        EffectiveConfig.of(
                new ConfigSources(
                    Map.of("FELIX_ENDPOINTSTATUSPATHPREFIX", folder.toString()),
                    "",
                    List.of(),
                    LOCAL,
                    Map.of()),
                null)
            .config();
    return Agent.start(
        new AgentParts(
            datastore,
            host,
            LOCAL,
            (_, _) -> config,
            () -> {},
            _ -> {},
            new ReadyEndpoints(),
            CrashPoints.IGNORED,
            System.err::println));
  }

  void prepare(NetlinkSocket net) {
    Links.create(net, LinkSettings.named("eth0"), new Veth(LinkSettings.named("up0")));
    int eth0 = index(net, "eth0");
    net.perform(
        Addresses.add(Address.of(IpPrefix.parse("172.16.0.1/12"), Device.of(eth0))),
        Links.up(eth0),
        Links.up(index(net, "up0")));
    create(
        Kind.IP_POOL,
        "pool",
        spec ->
            spec.put("cidr", "10.0.0.0/8")
                .put("vxlanMode", "Always")
                .put("ipipMode", "Never")
                .put("natOutgoing", true));
    for (int i = 0; i <= nodes; i++) {
      int number = i;
      create(
          Kind.NODE,
          "node-" + i,
          spec -> {
            spec.putObject("bgp")
                .put(
                    "ipv4Address",
                    "172.16.%d.%d/12".formatted((number + 1) >> 8, (number + 1) & 255));
            spec.put("ipv4VXLANTunnelAddr", "10.%d.%d.0".formatted(number >> 8, number & 255));
          });
      if (i > 0) {
        datastore.create(block(blockOf(i, 0), "node-" + i));
        datastore.create(block(blockOf(i, 1), "node-" + i));
      }
    }
    for (int pod = 0; pod < PODS; pod++) {
      addPod(net, pod);
    }
  }

  static int index(NetlinkSocket net, String name) {
    return net.find(Links.named(name)).orElseThrow().index();
  }

  private void addPod(NetlinkSocket net, int pod) {
    String name = "cali" + pod;
    Links.create(net, LinkSettings.named(name), new Veth(LinkSettings.named("pod" + pod)));
    net.perform(Links.up(index(net, name)), Links.up(index(net, "pod" + pod)));
    writeEndpoint(pod);
  }

  void writeEndpoint(int pod) {
    datastore.create(
        Resource.of(
            endpointKey(pod),
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", LOCAL)
                  .put("pod", "pod-" + pod)
                  .put("endpoint", "eth0")
                  .put("containerID", "c" + pod)
                  .put("interfaceName", "cali" + pod)
                  .put("mac", new MacAddress(0xee_ee_ee_00_00_00L + pod).toString());
              spec.putArray("ipNetworks").add(address(pod) + "/32");
              spec.putArray("profiles").add("kns.default");
            }));
  }

  static ResourceKey.Named endpointKey(int pod) {
    return new ResourceKey.Named(
        Kind.WORKLOAD_ENDPOINT, "default", "node--0-k8s-pod--%d-eth0".formatted(pod));
  }

  static String address(int pod) {
    return "10.200.%d.%d".formatted(pod >> 8, pod & 255);
  }

  static IpPrefix blockOf(int node, int number) {
    return IpPrefix.parse("10.%d.%d.%d/26".formatted(node >> 8, node & 255, number * 64));
  }

  private static Resource block(IpPrefix cidr, String node) {
    ObjectNode json =
        StoredJson.parseObject(
            """
            {"cidr":"%s","affinity":"host:%s","strictAffinity":false,"allocations":[],
             "unallocated":[],"attributes":[],"deleted":false,"sequenceNumber":1,
             "sequenceNumberForAllocation":{}}
            """
                .formatted(cidr, node));
    return Resource.of(new ResourceKey.Block(cidr), json);
  }

  private void create(Kind kind, String name, Consumer<ObjectNode> spec) {
    datastore.create(Resource.of(new ResourceKey.Named(kind, "", name), spec));
  }

  static long routes(NetlinkSocket net) {
    return net.list(Routes.list(RouteFilter.main(IpFamily.V4))).stream()
        .filter(route -> route.gateway().isPresent())
        .count();
  }

  void awaitStatus(int files) {
    Path directory = folder.resolve("endpoint-status");
    await(
        () -> {
          String[] names = directory.toFile().list();
          return names != null && names.length >= files;
        },
        files + " status files");
  }

  static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("waited in vain for " + what);
      }
      LockSupport.parkNanos(100_000);
    }
  }
}
