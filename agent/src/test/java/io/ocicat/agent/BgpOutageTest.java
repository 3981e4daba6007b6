package io.ocicat.agent;

import static io.ocicat.agent.BgpNodes.LIMIT;
import static io.ocicat.agent.BgpNodes.awaitRoute;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets and sessions survive what happens to BIRDs, agents and large configurations. */
@Hosts
class BgpOutageTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // by start
  private Etcd etcd;

  @SuppressWarnings("NullAway.Init") // by start
  private BgpNodes nodes;

  @BeforeEach
  void start() {
    etcd = new Etcd().start();
    nodes =
        new BgpNodes(
            folder,
            new TestCluster(
                DatastoreConfig.ofEnvironment(
                    Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url()))));
  }

  @AfterEach
  void stop() {
    nodes.close();
    etcd.close();
  }

  @Test
  void noPacketIsLostWhileBirdsAgentsAndEtcdAreKilled(Host one, Host two) {
    nodes.add(one, 1);
    nodes.add(two, 2);
    nodes.run(one, 1);
    nodes.run(two, 2);
    awaitRoute(one, "10.9.2.0/26", "via 172.31.9.2");
    awaitRoute(two, "10.9.1.0/26", "via 172.31.9.1");
    BgpNodes.ping(one, "10.9.1.7", "10.9.2.7");
    Background flood = one.start("ping", "-i", "0.005", "-O", "-D", "-I", "10.9.1.7", "10.9.2.7");

    for (String node : List.of("node1", "node2")) {
      nodes.awaitEstablished(node);
      if (node.equals("node2")) {
        // The agent knows the configuration without it.
        etcd.kill();
        Eventually.await(
            "etcd is missed", LIMIT, () -> !nodes.agent(node).status().unreachable().isEmpty());
      }
      long pid = nodes.birdPid(node);
      Command.of("kill", "-KILL", Long.toString(pid)).run();
      Eventually.passes(
          LIMIT,
          () ->
              assertThat(nodes.birdLog(node))
                  .anyMatch(line -> line.contains("BIRD (pid %d) has ended".formatted(pid))));
      Eventually.await("another BIRD", LIMIT, () -> nodes.birdPid(node) != pid);
      nodes.awaitEstablished(node);
    }

    etcd.start();
    Eventually.await(
        "etcd is back", LIMIT, () -> nodes.agent("node2").status().unreachable().isEmpty());

    // Killed while no agent runs: the next one starts it.
    nodes.stop("node1");
    long pid = nodes.birdPid("node1");
    assertThat(ProcessHandle.of(pid)).as("it outlives the agent").isPresent();
    Command.of("kill", "-KILL", Long.toString(pid)).run();
    nodes.run(one, 1);
    Eventually.await("another BIRD", LIMIT, () -> nodes.birdPid("node1") != pid);
    nodes.awaitEstablished("node1");

    // A new block is known everywhere, so all of it works again.
    nodes.cluster().block("10.9.77.0/26", "node1");
    awaitRoute(two, "10.9.77.0/26", "via 172.31.9.1");
    one.exec("kill", "-INT", Long.toString(flood.pid()));
    assertThat(flood.await(Duration.ofSeconds(10)).stdout()).contains(" 0% packet loss");
  }

  @Test
  void aThousandBlocksComeAndGoWithoutASessionDropped(Host one, Host rack) throws Exception {
    nodes.add(one, 1);
    nodes.lan().plug(rack, "172.31.9.100/24");
    nodes
        .cluster()
        .create(
            Kind.BGP_PEER,
            "rack",
            spec -> spec.put("peerIP", "172.31.9.100").put("asNumber", 65001));
    RackRouter router = new RackRouter(rack, folder.resolve("rack"));
    router.start(
        """
        router id 172.31.9.100;
        protocol device { }
        protocol bgp node1 {
          local 172.31.9.100 as 65001; neighbor 172.31.9.1 as 64512; multihop;
          connect delay time 1; error wait time 1, 2;
          ipv4 { import all; export none; };
        }
        """);
    nodes.run(one, 1);
    awaitRoutes(router, 1);
    nodes.awaitEstablished("node1");
    String since = nodes.bgp("node1").sessions().getFirst().since();

    nodes.cluster().block("10.9.0.0/16", "node1");
    awaitRoutes(router, 1024);
    nodes.cluster().releaseBlock("10.9.128.0/17", "node1");
    awaitRoutes(router, 512);
    assertThat(nodes.bgp("node1").sessions())
        .singleElement()
        .satisfies(
            session -> {
              assertThat(session.isEstablished()).isTrue();
              assertThat(session.since()).isEqualTo(since);
            });

    // What has nothing to do with BGP is no reload; the last of these changes is one.
    long reloads = settledReloads();
    TestCluster cluster = nodes.cluster();
    cluster.create(
        Kind.FELIX_CONFIGURATION, "default", spec -> spec.put("natPortRange", "1000:2000"));
    cluster.address("10.9.3.9", "node1");
    cluster.create(Kind.NODE, "without-address", _ -> {});
    cluster.endpoint("node1", "web", "cali1", "ee:ee:ee:00:00:01", "10.9.3.9/32");
    cluster.releaseBlock("10.9.64.0/26", "node1");
    awaitRoutes(router, 511);
    assertThat(settledReloads()).isEqualTo(reloads + 1);
  }

  /** The number of reloads once it stays: a status comes a little after what it describes. */
  private long settledReloads() throws InterruptedException {
    long before = -1;
    long now = nodes.bgp("node1").reloads();
    while (now != before) {
      before = now;
      Thread.sleep(1000);
      now = nodes.bgp("node1").reloads();
    }
    return now;
  }

  private static void awaitRoutes(RackRouter router, int expected) {
    Eventually.passes(
        LIMIT,
        () ->
            assertThat(router.ask("show", "route", "count"))
                .contains("%d of %d routes".formatted(expected, expected)));
  }
}
