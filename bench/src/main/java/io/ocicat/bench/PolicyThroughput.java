package io.ocicat.bench;

import io.ocicat.agent.Agent;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What packets between two pods of a node pay for policy: bytes and new connections a second
 * through our table, through equivalent rules of iptables, and without any, in turns. Twenty
 * policies apply to each pod in each direction, and the last of them allows.
 *
 * <p>Usage: {@code PolicyThroughput [rounds [seconds]]}.
 */
final class PolicyThroughput {
  private static final int POLICIES = 20;
  private static final int PORT = 5201;
  private static final int CONNECTIONS_PORT = 5300;
  private static final String CLIENT = "10.0.0.1";
  private static final String SERVER = "10.0.0.2";
  private static final Map<String, String> PODS = Map.of("calia", CLIENT, "calib", SERVER);

  private enum Contender {
    NONE,
    IPTABLES,
    OURS
  }

  private final Host node;
  private final Host client;
  private final Host server;
  private final AgentScene agents;
  private final int seconds;
  private @Nullable Agent agent;

  private PolicyThroughput(Host node, Host client, Host server, AgentScene agents, int seconds) {
    this.node = node;
    this.client = client;
    this.server = server;
    this.agents = agents;
    this.seconds = seconds;
  }

  public static void main(String[] args) throws IOException {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-throughput-");
    try (Host node = Host.open();
        Host client = Host.open();
        Host server = Host.open();
        NetNs host = NetNs.open(node.path());
        Datastore datastore =
            Datastores.openOwn(
                DatastoreConfig.ofEnvironment(
                    Map.of("DATASTORE_TYPE", "embedded", "OCICAT_STATE_DIR", folder.toString())))) {
      PolicyThroughput run =
          new PolicyThroughput(
              node, client, server, new AgentScene(datastore, host, folder, 0), seconds);
      run.prepare(datastore);
      run.measure(rounds);
    }
  }

  private void prepare(Datastore datastore) {
    node.exec("sysctl", "-qw", "net.ipv4.ip_forward=1");
    attach(client, "calia");
    attach(server, "calib");
    for (String name : PODS.keySet()) {
      datastore.create(endpoint(name));
    }
    for (int i = 0; i < POLICIES; i++) {
      datastore.create(policy(i));
    }
  }

  /** As calico attaches a pod: no subnet, everything by the node. */
  private void attach(Host pod, String link) {
    String address = PODS.getOrDefault(link, "");
    node.exec(
        "ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", pod.name());
    node.exec("ip", "link", "set", link, "address", "ee:ee:ee:ee:ee:ee", "up");
    node.exec("sysctl", "-qw", "net.ipv4.conf.%s.proxy_arp=1".formatted(link));
    node.exec("ip", "route", "replace", address + "/32", "dev", link, "metric", "1024");
    pod.exec("ip", "address", "add", address + "/32", "dev", "eth0");
    pod.exec("ip", "link", "set", "eth0", "up");
    pod.exec("ip", "link", "set", "lo", "up");
    pod.exec("ip", "route", "add", "169.254.1.1", "dev", "eth0");
    pod.exec("ip", "route", "add", "default", "via", "169.254.1.1");
    pod.exec("ip", "neighbour", "add", "169.254.1.1", "lladdr", "ee:ee:ee:ee:ee:ee", "dev", "eth0");
  }

  private static Resource endpoint(String link) {
    return Resource.of(
            new ResourceKey.Named(
                Kind.WORKLOAD_ENDPOINT, "default", "node--0-k8s-%s-eth0".formatted(link)),
            spec -> {
              spec.put("orchestrator", "k8s")
                  .put("node", AgentScene.LOCAL)
                  .put("pod", link)
                  .put("endpoint", "eth0")
                  .put("containerID", link)
                  .put("interfaceName", link);
              spec.putArray("ipNetworks").add(PODS.get(link) + "/32");
              spec.putArray("profiles").add("kns.default");
            })
        .edit(
            document ->
                document
                    .withObject("/metadata")
                    .putObject("labels")
                    .put("projectcalico.org/namespace", "default")
                    .put("projectcalico.org/orchestrator", "k8s"));
  }

  /** All but the last allow a port that nobody uses. */
  private static Resource policy(int number) {
    return Resource.of(
        new ResourceKey.Named(Kind.GLOBAL_NETWORK_POLICY, "", "policy-" + number),
        spec -> {
          spec.put("tier", "default").put("order", number).put("selector", "all()");
          spec.putArray("types").add("Ingress").add("Egress");
          for (String direction : List.of("ingress", "egress")) {
            var rule = spec.putArray(direction).addObject();
            rule.put("action", "Allow");
            if (number < POLICIES - 1) {
              rule.put("protocol", "TCP")
                  .putObject("destination")
                  .putArray("ports")
                  .add(10_000 + number);
            }
          }
        });
  }

  private void measure(int rounds) throws IOException {
    Map<Contender, List<Double>> bytes = new EnumMap<>(Contender.class);
    Map<Contender, List<Double>> connections = new EnumMap<>(Contender.class);
    try (Background _ = server.start("iperf3", "-s", "-p", Integer.toString(PORT))) {
      for (int round = 0; round <= rounds; round++) {
        for (Contender contender : Contender.values()) {
          enforce(contender);
          double gigabits = gigabits();
          double rate = connectionRate();
          release(contender);
          // The first round warms up.
          if (round > 0) {
            bytes.computeIfAbsent(contender, _ -> new ArrayList<>()).add(gigabits);
            connections.computeIfAbsent(contender, _ -> new ArrayList<>()).add(rate);
          }
        }
      }
    }
    print("throughput", "Gbit/s", bytes);
    print("new connections", "/s", connections);
  }

  private void enforce(Contender contender) {
    switch (contender) {
      case NONE -> {}
      case OURS -> {
        agent = agents.agent();
        agents.awaitStatus(PODS.size());
      }
      case IPTABLES -> {
        List<String> rules = new ArrayList<>(List.of("*filter", ":FORWARD DROP [0:0]"));
        rules.add("-A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT");
        rules.add("-A FORWARD -m conntrack --ctstate INVALID -j DROP");
        for (String chain : List.of("from", "to")) {
          rules.add(":" + chain + " - [0:0]");
        }
        rules.add("-A FORWARD -i cali+ -j from");
        rules.add("-A FORWARD -o cali+ -j to");
        rules.add("-A FORWARD -m mark --mark 1/1 -j ACCEPT");
        for (String chain : List.of("from", "to")) {
          IntStream.range(0, POLICIES - 1)
              .forEach(
                  i ->
                      rules.add(
                          "-A %s -p tcp --dport %d -j MARK --set-mark 1/1"
                              .formatted(chain, 10_000 + i)));
          rules.add("-A %s -j MARK --set-mark 1/1".formatted(chain));
        }
        rules.add("COMMIT");
        node.command("iptables-restore").stdin(String.join("\n", rules) + "\n").run();
      }
    }
  }

  private void release(Contender contender) {
    switch (contender) {
      case NONE -> {}
      case OURS -> {
        Agent running = agent;
        if (running != null) {
          running.close();
        }
        node.exec("nft", "flush", "ruleset");
      }
      case IPTABLES -> node.exec("nft", "flush", "ruleset");
    }
  }

  private double gigabits() {
    JsonNode report =
        client.json(
            "iperf3",
            "-J",
            "-c",
            SERVER,
            "-p",
            Integer.toString(PORT),
            "-t",
            Integer.toString(seconds));
    return report.at("/end/sum_received/bits_per_second").asDouble() / 1e9;
  }

  /** One client that connects and closes, without pause. */
  private double connectionRate() throws IOException {
    try (NetNs here = NetNs.open(server.path());
        NetNs there = NetNs.open(client.path());
        ServerSocketChannel listener =
            here.visit(
                () -> {
                  try {
                    return ServerSocketChannel.open()
                        .bind(new InetSocketAddress(SERVER, CONNECTIONS_PORT), 1024);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                })) {
      Thread acceptor = Thread.ofPlatform().daemon().start(() -> accept(listener));
      try {
        return there.visit(this::connect);
      } finally {
        acceptor.interrupt();
      }
    }
  }

  private static void accept(ServerSocketChannel listener) {
    try {
      while (true) {
        listener.accept().close();
      }
    } catch (IOException _) {
      // The measurement is over.
    }
  }

  private double connect() {
    long start = System.nanoTime();
    long made = 0;
    try {
      while (System.nanoTime() - start < seconds * 1_000_000_000L) {
        try (SocketChannel channel = SocketChannel.open()) {
          // No TIME_WAIT: ports would run out.
          channel.setOption(StandardSocketOptions.SO_LINGER, 0);
          channel.connect(new InetSocketAddress(SERVER, CONNECTIONS_PORT));
        }
        made++;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return made / ((System.nanoTime() - start) / 1e9);
  }

  private static void print(String what, String unit, Map<Contender, List<Double>> figures) {
    double none = median(figures.getOrDefault(Contender.NONE, List.of()));
    figures.forEach(
        (contender, values) ->
            IO.println(
                String.format(
                    Locale.ROOT,
                    "%-16s %-9s %10.1f %-7s %.2f × no policy",
                    what,
                    contender.name().toLowerCase(Locale.ROOT),
                    median(values),
                    unit,
                    median(values) / none)));
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElse(Double.NaN);
  }
}
