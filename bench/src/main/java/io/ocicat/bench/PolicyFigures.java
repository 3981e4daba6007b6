package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Generation;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How fast a node's agent puts policy in force in a large cluster, on the embedded datastore: the
 * start, one pod's labels, a policy for all endpoints, a thousand members at once, members without
 * pause. Felix's figures were measured by others on such a machine, with 46 endpoints.
 *
 * <p>Usage: {@code PolicyFigures [endpoints [policies [local [rounds]]]]}.
 */
final class PolicyFigures {
  private static final TableId TABLE = new TableId(TableFamily.INET, "ocicat_policy");
  private static final int NAMESPACES = 100;
  private static final int FELIX_ENDPOINTS = 46;
  private static final int MEMBERS = 1000;
  private static final int SECONDS = 10;

  private final Datastore datastore;
  private final NetNs host;
  private final Path folder;
  private final ResultTable table = new ResultTable();

  private PolicyFigures(Datastore datastore, NetNs host, Path folder) {
    this.datastore = datastore;
    this.host = host;
    this.folder = folder;
  }

  public static void main(String[] args) throws IOException {
    int endpoints = number(args, 0, 100_000);
    int policies = number(args, 1, 10_000);
    int local = number(args, 2, 500);
    int rounds = number(args, 3, 100);
    inNewCluster(figures -> figures.large(endpoints, policies, local, rounds));
    inNewCluster(figures -> figures.forAll(1, 0, rounds));
    inNewCluster(figures -> figures.forAll(FELIX_ENDPOINTS, FELIX_ENDPOINTS, rounds));
  }

  private static int number(String[] args, int position, int usual) {
    return args.length > position ? Integer.parseInt(args[position]) : usual;
  }

  private interface Measurement {
    void run(PolicyFigures figures);
  }

  private static void inNewCluster(Measurement measurement) throws IOException {
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-policy-");
    try (NetNs host = NetNs.create();
        Datastore datastore =
            Datastores.openOwn(
                DatastoreConfig.ofEnvironment(
                    Map.of("DATASTORE_TYPE", "embedded", "OCICAT_STATE_DIR", folder.toString())))) {
      PolicyFigures figures = new PolicyFigures(datastore, host, folder);
      measurement.run(figures);
      figures.table.print();
    }
  }

  private void large(int endpoints, int policies, int local, int rounds) {
    PolicyScene scene = new PolicyScene(datastore, NAMESPACES, endpoints, policies, local);
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      long start = System.nanoTime();
      scene.prepare(net);
      System.err.printf("prepared in %.0f s%n", (System.nanoTime() - start) / 1e9);
      AgentScene agents = new AgentScene(datastore, host, folder, 0);
      start = System.nanoTime();
      try (Agent agent = agents.agent()) {
        agents.awaitStatus(local);
        table.add(
            "%,d endpoints, %,d policies, %d pods: in force".formatted(endpoints, policies, local),
            (System.nanoTime() - start) / 1e9,
            "s",
            TargetFigure.atMost(10, "s"));
        relabelPods(scene, rounds);
        relabelNamespace(scene, rounds);
        members();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        table.add(
            "heap in use, with the datastore and this program",
            (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0,
            "MiB",
            TargetFigure.NONE);
        if (!agent.status().problems().isEmpty()) {
          System.err.println("problems: " + agent.status().problems());
        }
      }
      start = System.nanoTime();
      try (Agent again = agents.agent()) {
        AgentScene.await(() -> again.status().inSync(), "sync");
        table.add(
            "restart with nothing changed, %d writes".formatted(again.status().writes()),
            (System.nanoTime() - start) / 1e9,
            "s",
            TargetFigure.NONE);
      }
    }
  }

  /** A pod gets the labels of another application: other policies select it. */
  private void relabelPods(PolicyScene scene, int rounds) {
    Sample sample = new Sample("a pod's labels, to its rules");
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      for (int round = 0; round < rounds; round++) {
        int pod = round % scene.local();
        String application = "app-" + (500 + round % 100);
        Resource there = datastore.get(scene.endpointKey(pod));
        Resource wanted =
            there.edit(document -> PolicyScene.label(document, application, scene.namespace(pod)));
        change(net, sample, () -> datastore.update(wanted));
      }
    }
    table.add(
        "a pod's labels change, to its rules, p50",
        sample.percentile(0.5) / 1e6,
        "ms",
        TargetFigure.NONE);
    table.add("the same, p99", sample.percentile(0.99) / 1e6, "ms", TargetFigure.atMost(50, "ms"));
  }

  /** Waits until the next transaction is in force. */
  private static void change(NetlinkSocket net, Sample sample, Runnable write) {
    int before = generation(net);
    long start = System.nanoTime();
    write.run();
    AgentScene.await(() -> generation(net) != before, "a transaction");
    sample.add(System.nanoTime() - start);
  }

  private static int generation(NetlinkSocket net) {
    return net.find(Generation.current()).orElseThrow().id();
  }

  /** All endpoints of a namespace become members of a set, and leave it again. */
  private void relabelNamespace(PolicyScene scene, int rounds) {
    datastore.create(PolicyScene.forAll("green", "green"));
    Sample sample = new Sample("a namespace's labels");
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      AgentScene.await(() -> largest(net) >= 0, "the set");
      for (int round = 0; round < Math.min(rounds, 20); round++) {
        Resource there = datastore.get(ResourceKey.of(Kind.NAMESPACE, scene.namespace(1)));
        String colour = round % 2 == 0 ? "green" : "blue";
        Resource wanted =
            there.edit(
                document ->
                    document.withObject("/metadata").withObject("labels").put("colour", colour));
        change(net, sample, () -> datastore.update(wanted));
      }
    }
    table.add(
        "a namespace's labels change, %,d members, p50".formatted(MEMBERS),
        sample.percentile(0.5) / 1e6,
        "ms",
        TargetFigure.atMost(100, "ms"));
  }

  private static int largest(NetlinkSocket net) {
    return net.list(Sets.in(TABLE)).size();
  }

  /** Networks of a set come and go without pause, a thousand at a time. */
  private void members() {
    ResourceKey.Named key = new ResourceKey.Named(Kind.GLOBAL_NETWORK_SET, "", "moving");
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.GLOBAL_NETWORK_POLICY, "", "moving"),
            spec -> {
              spec.put("tier", "default").put("order", 2).put("selector", "all()");
              spec.putArray("types").add("Ingress");
              spec.putArray("ingress")
                  .addObject()
                  .put("action", "Deny")
                  .putObject("source")
                  .put("selector", "moving == 'yes'");
            }));
    datastore.create(networkSet(key, 0));
    long changes = 0;
    long start = System.nanoTime();
    int round = 0;
    while (System.nanoTime() - start < SECONDS * 1_000_000_000L) {
      round++;
      Resource there = datastore.get(key);
      int number = round;
      datastore.update(there.edit(document -> networks(document, number)));
      changes += 2L * MEMBERS;
    }
    String last = "192.%d.0.0/32".formatted(round % 200);
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      AgentScene.await(() -> contains(net, last), "the last members");
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    table.add(
        "member changes a second, until the last is in force",
        changes / seconds,
        "/s",
        TargetFigure.atLeast(10_000, "/s"));
  }

  private static boolean contains(NetlinkSocket net, String network) {
    for (NamedSet set : net.list(Sets.in(TABLE))) {
      for (Element element : net.list(Elements.in(set))) {
        if (element.toString().contains(network.substring(0, network.indexOf('/')))) {
          return true;
        }
      }
    }
    return false;
  }

  private static Resource networkSet(ResourceKey.Named key, int round) {
    return Resource.of(key, _ -> {})
        .edit(
            document -> {
              document.withObject("/metadata").putObject("labels").put("moving", "yes");
              networks(document, round);
            });
  }

  private static void networks(ObjectNode document, int round) {
    ArrayNode nets = document.withObject("/spec").putArray("nets");
    for (int i = 0; i < MEMBERS; i++) {
      nets.add("192.%d.%d.%d/32".formatted(round % 200, i >> 8, i & 255));
    }
  }

  /**
   * As Felix was measured: a policy for all of 46 endpoints, which are alike, or of which each has
   * a policy of its own.
   */
  private void forAll(int namespaces, int policies, int rounds) {
    PolicyScene scene =
        new PolicyScene(datastore, namespaces, FELIX_ENDPOINTS, policies, FELIX_ENDPOINTS);
    try (NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE, host);
        NetlinkSocket net = NetlinkSocket.open(Protocol.NETFILTER, host)) {
      scene.prepare(route);
      AgentScene agents = new AgentScene(datastore, host, folder, 0);
      Sample sample = new Sample("a policy for all endpoints");
      List<Long> operations = new ArrayList<>();
      try (Agent _ = agents.agent()) {
        agents.awaitStatus(FELIX_ENDPOINTS);
        for (int round = 0; round < Math.min(rounds, 20); round++) {
          Set<Long> before = handles(net);
          change(net, sample, () -> datastore.create(PolicyScene.forAll("all", "blue")));
          Set<Long> after = handles(net);
          operations.add(difference(before, after) + difference(after, before));
          int generation = generation(net);
          datastore.delete(ResourceKey.of(Kind.GLOBAL_NETWORK_POLICY, "all"), null);
          AgentScene.await(() -> generation(net) != generation, "the end of the policy");
        }
      }
      table.add(
          "GNP on all(), 46 endpoints, %d other policies; Felix 460 ms".formatted(policies),
          sample.percentile(0.5) / 1e6,
          "ms",
          TargetFigure.atMost(20, "ms"));
      table.add(
          "rules added and removed by it; Felix 3,316",
          (double) operations.stream().mapToLong(Long::longValue).max().orElseThrow(),
          "",
          policies == 0 ? TargetFigure.atMost(30, "") : TargetFigure.NONE);
    }
  }

  private static Set<Long> handles(NetlinkSocket net) {
    return net.list(Rules.in(TABLE)).stream()
        .map(InstalledRule::handle)
        .collect(Collectors.toSet());
  }

  private static long difference(Set<Long> some, Set<Long> others) {
    Set<Long> rest = new HashSet<>(some);
    rest.removeAll(others);
    return rest.size();
  }
}
