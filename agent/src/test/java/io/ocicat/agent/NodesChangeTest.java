package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.startup.NodeFiles;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Lan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node gets another address, leaves, comes back with a third one, and is renamed, each with its
 * whole start-up. The others follow, and what they have with each other loses no packet.
 */
@Hosts
class NodesChangeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path folder;
  private final List<String> log = new CopyOnWriteArrayList<>();

  private AgentService start(Host host, String name) {
    Path own = folder.resolve(name);
    Map<String, String> environment =
        Map.of(
            "OCICAT_STATE_DIR",
            folder.resolve("datastore").toString(),
            "NODENAME",
            name,
            "IP",
            "autodetect",
            "CALICO_IPV4POOL_CIDR",
            "10.65.0.0/16",
            "CALICO_IPV4POOL_VXLAN",
            "Always",
            "FELIX_ENDPOINTSTATUSPATHPREFIX",
            own.toString());
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.visit(
          () ->
              AgentService.start(
                  environment,
                  own.resolve("run"),
                  line -> log.add(name + ": " + line),
                  new NodeFiles(own.resolve("nodename"), own.resolve("mtu")),
                  UnaryOperator.identity(),
                  CrashPoints.IGNORED));
    }
  }

  private static void plug(Lan lan, Host host, int number) {
    String device = lan.plug(host, "192.168.7.%d/24".formatted(number));
    host.exec("ip", "link", "set", device, "down");
    host.exec("ip", "link", "set", device, "name", "eth0");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "route", "add", "default", "via", "192.168.7.254");
  }

  private static void move(Host host, int from, int to) {
    host.exec("ip", "address", "add", "192.168.7.%d/24".formatted(to), "dev", "eth0");
    host.exec("ip", "address", "del", "192.168.7.%d/24".formatted(from), "dev", "eth0");
    // The last address of a subnet takes the others of it along.
    host.exec("ip", "address", "replace", "192.168.7.%d/24".formatted(to), "dev", "eth0");
    host.exec("ip", "route", "replace", "default", "via", "192.168.7.254");
  }

  /** The address of a node's tunnel, once it has one. */
  private String tunnel(TestCluster cluster, String node) {
    Eventually.await(
        "a tunnel address of %s, %s".formatted(node, log),
        LIMIT,
        () -> found(cluster, node).matches("[0-9.]+"));
    return found(cluster, node);
  }

  private static String found(TestCluster cluster, String node) {
    return cluster.datastore().list(ResourceQuery.of(Kind.NODE)).items().stream()
        .filter(found -> found.key().name().equals(node))
        .flatMap(found -> found.text("spec", "ipv4VXLANTunnelAddr").stream())
        .findFirst()
        .orElse("");
  }

  private void awaitPath(Host from, String to) {
    Eventually.await(
        "a path to %s, %s".formatted(to, log), LIMIT, () -> TestNodes.reaches(from, to));
  }

  private static List<String> remotes(Host host) {
    return host.exec("bridge", "fdb", "show", "dev", "vxlan.calico")
        .stdout()
        .lines()
        .filter(line -> line.contains(" dst "))
        .map(line -> line.replaceFirst(".* dst ([0-9.]+) .*", "$1"))
        .sorted()
        .toList();
  }

  private static void awaitRemotes(Host host, String... addresses) {
    Eventually.passes(LIMIT, () -> assertThat(remotes(host)).containsExactly(addresses));
  }

  @Test
  void theOthersFollowAndLoseNothing(Host one, Host two, Host three) {
    try (Lan lan = Lan.open();
        TestCluster cluster = TestCluster.embedded(folder.resolve("datastore"))) {
      plug(lan, one, 1);
      plug(lan, two, 2);
      plug(lan, three, 3);
      try (AgentService _ = start(one, "node1");
          AgentService _ = start(three, "node3")) {
        String peer = tunnel(cluster, "node3");
        Background flood;
        try (AgentService _ = start(two, "node2")) {
          awaitPath(one, tunnel(cluster, "node2"));
          awaitPath(one, peer);
          flood = one.start("ping", "-i", "0.005", "-O", "-D", peer);
          awaitRemotes(one, "192.168.7.2", "192.168.7.3");

          move(two, 2, 22);
          awaitRemotes(one, "192.168.7.22", "192.168.7.3");
          awaitPath(one, tunnel(cluster, "node2"));
          awaitPath(two, peer);
        }
        cluster.delete(Kind.NODE, "node2");
        awaitRemotes(one, "192.168.7.3");

        move(two, 22, 32);
        try (AgentService _ = start(two, "node2")) {
          awaitPath(one, tunnel(cluster, "node2"));
          awaitRemotes(one, "192.168.7.3", "192.168.7.32");
        }
        cluster.delete(Kind.NODE, "node2");
        try (AgentService _ = start(two, "node-two")) {
          awaitPath(one, tunnel(cluster, "node-two"));
          awaitPath(two, peer);
          awaitRemotes(one, "192.168.7.3", "192.168.7.32");
        }
        one.exec("kill", "-INT", Long.toString(flood.pid()));
        assertThat(flood.await(LIMIT).stdout()).contains(" 0% packet loss");
      }
    }
  }
}
