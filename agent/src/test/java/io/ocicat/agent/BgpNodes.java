package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.bgp.BgpSettings;
import io.ocicat.agent.bgp.SecretSource;
import io.ocicat.agent.bird.BgpSession;
import io.ocicat.agent.bird.BgpStatus;
import io.ocicat.agent.bird.BirdFiles;
import io.ocicat.agent.bird.BirdReconciler;
import io.ocicat.agent.bird.BirdSettings;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Lan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster on one LAN whose nodes speak BGP through real BIRDs. */
final class BgpNodes implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(90);

  private final Path folder;
  private final TestCluster cluster;
  private final Lan lan = Lan.open();
  private final Map<String, Node> running = new HashMap<>();

  BgpNodes(Path folder) {
    this(folder, TestCluster.embedded(folder.resolve("datastore")));
  }

  /**
   * @param cluster closed with this
   */
  BgpNodes(Path folder, TestCluster cluster) {
    this.folder = folder;
    this.cluster = cluster;
    cluster.pool("v4", "10.9.0.0/16", spec -> spec.put("ipipMode", "Never"));
    cluster.pool("v6", "fd10::/64", _ -> {});
  }

  /** What runs on a node, apart from BIRD, which outlives it. */
  private record Node(
      Host host, NetNs namespace, BirdReconciler bird, TestAgent agent, List<String> birdLog) {
    void close() {
      agent.close();
      bird.close();
      namespace.close();
    }
  }

  TestCluster cluster() {
    return cluster;
  }

  Lan lan() {
    return lan;
  }

  /** A node with a block of each family, and an address of each block for packets to go to. */
  void add(Host host, int number) {
    String name = "node" + number;
    lan.plug(host, "172.31.9.%d/24".formatted(number), "fd09::%d/64".formatted(number));
    cluster.create(
        Kind.NODE,
        name,
        spec ->
            spec.putObject("bgp")
                .put("ipv4Address", "172.31.9.%d/24".formatted(number))
                .put("ipv6Address", "fd09::%d/64".formatted(number)));
    cluster.block("10.9.%d.0/26".formatted(number), name);
    cluster.block("fd10::%d:0/122".formatted(number), name);
    host.exec("ip", "address", "add", "10.9.%d.7/32".formatted(number), "dev", "lo");
    host.exec("ip", "-6", "address", "add", "fd10::%d:7/128".formatted(number), "dev", "lo");
  }

  void run(Host host, int number) {
    String name = "node" + number;
    NetNs namespace = NetNs.open(host.path());
    List<String> log = new CopyOnWriteArrayList<>();
    BirdReconciler bird =
        BirdReconciler.start(namespace, folder.resolve(name), BirdSettings.standard(), log::add);
    Map<String, String> environment =
        Map.of(
            "CALICO_NETWORKING_BACKEND",
            "bird",
            "OCICAT_SECRETS_DIR",
            folder.resolve("secrets").toString());
    BgpSettings settings = BgpSettings.of(environment);
    TestAgent agent =
        new TestAgent(
            host,
            cluster.datastore(),
            name,
            folder.resolve(name + "-status"),
            environment,
            new ReadyEndpoints(),
            new BgpParts(
                settings,
                SecretSource.of(cluster.datastore().cluster(), settings),
                Duration.ofMillis(200),
                bird::want));
    running.put(name, new Node(host, namespace, bird, agent, log));
  }

  /** Ends the agent of a node; its BIRD goes on. */
  void stop(String node) {
    Objects.requireNonNull(running.remove(node)).close();
  }

  private Node node(String name) {
    return Objects.requireNonNull(running.get(name));
  }

  TestAgent agent(String node) {
    return node(node).agent();
  }

  BgpStatus bgp(String node) {
    return node(node).bird().status().orElseThrow();
  }

  List<String> birdLog(String node) {
    return node(node).birdLog();
  }

  private BirdFiles files(String node) {
    return new BirdFiles(folder.resolve(node));
  }

  long birdPid(String node) {
    try {
      return Long.parseLong(Files.readString(folder.resolve(node).resolve("bird.pid")).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String ask(String node, String... command) {
    return RackRouter.ask(node(node).host(), files(node).socket(), command);
  }

  void awaitEstablished(String node) {
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(node(node).bird().status())
                .hasValueSatisfying(
                    status ->
                        assertThat(status.sessions())
                            .isNotEmpty()
                            .allMatch(BgpSession::isEstablished)));
  }

  static String routes(Host host, String prefix) {
    return host.exec("ip", prefix.contains(":") ? "-6" : "-4", "route", "show", prefix).stdout();
  }

  static void awaitRoute(Host host, String prefix, String words) {
    Eventually.passes(LIMIT, () -> assertThat(routes(host, prefix)).contains(words));
  }

  static void ping(Host from, String source, String to) {
    Eventually.await(
        "%s reaches %s".formatted(source, to),
        () -> from.tryExec("ping", "-c1", "-W1", "-q", "-I", source, to).succeeded());
  }

  @Override
  public void close() {
    running.values().forEach(Node::close);
    lan.close();
    cluster.close();
  }
}
