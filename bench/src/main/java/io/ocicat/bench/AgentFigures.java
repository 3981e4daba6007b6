package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Device;
import io.ocicat.netlink.route.Route;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.Routes;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How fast a node's agent follows its cluster, on a local etcd: everything programmed, one block
 * that moves, an endpoint until its route and its status, repairs, and a restart with nothing
 * changed. The figures of Felix beside ours were measured by others on such a machine.
 *
 * <p>Usage: {@code AgentFigures [nodes [rounds]]}, or {@code AgentFigures growth rounds nodes…} for
 * clusters of several sizes, without repairs, as a table and a plot.
 */
final class AgentFigures {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final AgentScene scene;
  private final Datastore datastore;
  private final NetNs host;

  private AgentFigures(AgentScene scene) {
    this.scene = scene;
    this.datastore = scene.datastore();
    this.host = scene.host();
  }

  public static void main(String[] args) throws IOException {
    if (args.length > 2 && args[0].equals("growth")) {
      List<AgentSize> sizes = new ArrayList<>();
      for (int i = 2; i < args.length; i++) {
        sizes.add(measure(Integer.parseInt(args[i]), Integer.parseInt(args[1]), false));
      }
      System.out.print(AgentSize.table(sizes));
      return;
    }
    int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 200;
    measure(nodes, rounds, true);
  }

  private static AgentSize measure(int nodes, int rounds, boolean everything) throws IOException {
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-agent-");
    try (Etcd etcd = new Etcd(folder).start();
        NetNs host = NetNs.create();
        Datastore datastore =
            Datastores.openOwn(DatastoreConfig.ofEnvironment(environment(etcd)))) {
      return new AgentFigures(new AgentScene(datastore, host, folder, nodes))
          .run(rounds, everything);
    }
  }

  private static Map<String, String> environment(Etcd etcd) {
    return Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url());
  }

  private AgentSize run(int rounds, boolean everything) {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      scene.prepare(net);
      long start = System.nanoTime();
      long programmed;
      Sample moves;
      try (Agent _ = scene.agent()) {
        AgentScene.await(() -> AgentScene.routes(net) >= 2L * scene.nodes(), "all routes");
        programmed = System.nanoTime() - start;
        print(
            "%d nodes with 2 blocks each programmed".formatted(scene.nodes()),
            programmed,
            "Felix 1.6–3.6 s at 1,000");
        scene.awaitStatus(AgentScene.PODS);
        moves = changes(rounds);
        if (everything) {
          endpoints(net, rounds);
          new AgentRepairs(scene).run();
        }
      }
      start = System.nanoTime();
      try (Agent again = scene.agent()) {
        AgentScene.await(() -> again.status().inSync(), "sync");
        long restarted = System.nanoTime() - start;
        print(
            "restart with nothing changed, in sync, %d writes".formatted(again.status().writes()),
            restarted,
            "Felix 1.7–2.1 s with 4 and 46 endpoints");
        System.gc();
        long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        System.out.printf("heap in use %d MiB, with etcd's client and this program%n", heap >> 20);
        return new AgentSize(
            scene.nodes(),
            programmed,
            moves.percentile(0.5),
            moves.percentile(0.99),
            restarted,
            heap);
      }
    }
  }

  static void print(String what, long nanos, String reference) {
    System.out.printf("%-60s %8.0f ms   %s%n", what, nanos / 1e6, reference);
  }

  /** A block moves from one node to another, and back. */
  private Sample changes(int rounds) {
    Sample sample = new Sample("a block moves, to its route");
    IpPrefix cidr = AgentScene.blockOf(1, 1);
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
    return sample;
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
        int pod = round % AgentScene.PODS;
        Path file =
            scene.folder().resolve("endpoint-status/k8s default%%2Fpod-%d eth0".formatted(pod));
        datastore.delete(AgentScene.endpointKey(pod), null);
        AgentScene.await(() -> !Files.exists(file), "the end of " + file);
        AgentScene.await(
            () ->
                net.list(
                        Routes.list(
                            RouteFilter.main(IpFamily.V4)
                                .dev(Device.of(AgentScene.index(net, "cali" + pod)))))
                    .isEmpty(),
            "no route");
        drain(monitor);
        long start = System.nanoTime();
        scene.writeEndpoint(pod);
        awaitRoute(monitor, IpPrefix.parse(AgentScene.address(pod) + "/32"));
        toRoute.add(System.nanoTime() - start);
        AgentScene.await(() -> Files.exists(file), file.toString());
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
}
