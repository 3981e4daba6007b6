package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.agent.AgentParts;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * How fast a node's agent follows its cluster, on a local etcd: everything programmed, one block
 * that moves, an endpoint until its route and its status, and a restart with nothing changed. The
 * figures of Felix beside ours were measured by others on such a machine.
 */
final class AgentFigures {
  private static final String LOCAL = "node-0";
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int PODS = 100;

  private final Datastore datastore;
  private final NetNs host;
  private final Path folder;
  private final int nodes;

  private AgentFigures(Datastore datastore, NetNs host, Path folder, int nodes) {
    this.datastore = datastore;
    this.host = host;
    this.folder = folder;
    this.nodes = nodes;
  }

  public static void main(String[] args) throws IOException {
    int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 200;
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-agent-");
    try (Etcd etcd = new Etcd(folder).start();
        NetNs host = NetNs.create();
        Datastore datastore =
            Datastores.openOwn(DatastoreConfig.ofEnvironment(environment(etcd)))) {
      new AgentFigures(datastore, host, folder, nodes).run(rounds);
    }
  }

  private static Map<String, String> environment(Etcd etcd) {
    return Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url());
  }

  private void run(int rounds) {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      prepare(net);
      long start = System.nanoTime();
      try (Agent _ = agent()) {
        await(() -> routes(net) >= 2L * nodes, "all routes");
        print(
            "%d nodes with 2 blocks each programmed".formatted(nodes), start, "1.6–3.6 s at 1,000");
        awaitStatus(PODS);
        changes(rounds);
        endpoints(net, rounds);
      }
      start = System.nanoTime();
      try (Agent again = agent()) {
        await(() -> again.status().inSync(), "sync");
        print(
            "restart with nothing changed, in sync, %d writes".formatted(again.status().writes()),
            start,
            "1.7–2.1 s with 4 and 46 endpoints");
        System.gc();
        System.out.printf(
            "heap in use %d MiB, with etcd's client and this program%n",
            (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
      }
    }
  }

  private static void print(String what, long start, String felix) {
    System.out.printf(
        "%-60s %8.0f ms   Felix %s%n", what, (System.nanoTime() - start) / 1e6, felix);
  }

  private Agent agent() {
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
            datastore, host, LOCAL, (_, _) -> config, () -> {}, _ -> {}, System.err::println));
  }

  private void prepare(NetlinkSocket net) {
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

  private static int index(NetlinkSocket net, String name) {
    return net.find(Links.named(name)).orElseThrow().index();
  }

  private void addPod(NetlinkSocket net, int pod) {
    String name = "cali" + pod;
    Links.create(net, LinkSettings.named(name), new Veth(LinkSettings.named("pod" + pod)));
    net.perform(Links.up(index(net, name)), Links.up(index(net, "pod" + pod)));
    writeEndpoint(pod);
  }

  private void writeEndpoint(int pod) {
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
            }));
  }

  private static ResourceKey.Named endpointKey(int pod) {
    return new ResourceKey.Named(
        Kind.WORKLOAD_ENDPOINT, "default", "node--0-k8s-pod--%d-eth0".formatted(pod));
  }

  private static String address(int pod) {
    return "10.200.%d.%d".formatted(pod >> 8, pod & 255);
  }

  private static IpPrefix blockOf(int node, int number) {
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

  private static long routes(NetlinkSocket net) {
    return net.list(Routes.list(RouteFilter.main(IpFamily.V4))).stream()
        .filter(route -> route.gateway().isPresent())
        .count();
  }

  /** A block moves from one node to another, and back. */
  private void changes(int rounds) {
    Sample sample = new Sample("a block moves, to its route");
    IpPrefix cidr = blockOf(1, 1);
    try (Monitor<Route> monitor = Monitor.open(host, Routes.CHANGES)) {
      for (int round = 0; round < rounds; round++) {
        String owner = round % 2 == 0 ? "node-2" : "node-1";
        Resource block = datastore.get(new ResourceKey.Block(cidr));
        Resource moved = block.edit(json -> json.put("affinity", "host:" + owner));
        long start = System.nanoTime();
        datastore.update(moved);
        awaitRoute(monitor, cidr);
        sample.add(System.nanoTime() - start);
      }
    }
    System.out.println(sample.line(sample));
  }

  private static void awaitRoute(Monitor<Route> monitor, IpPrefix destination) {
    while (true) {
      Optional<Monitor.Event<Route>> event = monitor.poll(LIMIT);
      if (event.orElseThrow() instanceof Monitor.Changed<Route>(Route route)
          && route.destination().equals(destination)) {
        return;
      }
    }
  }

  /**
   * An endpoint is written for a link that is there; Felix took 32 ms, and 53–101 to the status.
   */
  private void endpoints(NetlinkSocket net, int rounds) {
    Sample toRoute = new Sample("an endpoint, to its route");
    Sample toStatus = new Sample("an endpoint, to its status");
    try (Monitor<Route> monitor = Monitor.open(host, Routes.CHANGES)) {
      for (int round = 0; round < rounds; round++) {
        int pod = round % PODS;
        Path file = folder.resolve("endpoint-status/k8s default%%2Fpod-%d eth0".formatted(pod));
        datastore.delete(endpointKey(pod), null);
        await(() -> !Files.exists(file), "the end of " + file);
        await(
            () ->
                net.list(
                        Routes.list(
                            RouteFilter.main(IpFamily.V4).dev(Device.of(index(net, "cali" + pod)))))
                    .isEmpty(),
            "no route");
        drain(monitor);
        long start = System.nanoTime();
        writeEndpoint(pod);
        awaitRoute(monitor, IpPrefix.parse(address(pod) + "/32"));
        toRoute.add(System.nanoTime() - start);
        await(() -> Files.exists(file), file.toString());
        toStatus.add(System.nanoTime() - start);
      }
    }
    System.out.println(toRoute.line(toRoute) + "   Felix 32 ms");
    System.out.println(toStatus.line(toRoute) + "   Felix 53–101 ms");
  }

  private static void drain(Monitor<Route> monitor) {
    while (monitor.poll(Duration.ZERO).isPresent()) {
      // What belongs to the deletion.
      Thread.onSpinWait();
    }
  }

  private void awaitStatus(int files) {
    Path directory = folder.resolve("endpoint-status");
    await(
        () -> {
          String[] names = directory.toFile().list();
          return names != null && names.length >= files;
        },
        files + " status files");
  }

  private static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("waited in vain for " + what);
      }
      LockSupport.parkNanos(100_000);
    }
  }
}
