package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.resident.EndpointReadiness.Expected;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin of the same process waits for an endpoint by a call. */
@Hosts
class EndpointWaitTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String MAC = "ee:ee:ee:00:00:01";
  private static final Expected WEB =
      new Expected(
          ResourceKey.of(Kind.WORKLOAD_ENDPOINT, "default", "node1-k8s-web-eth0"),
          MacAddress.parse(MAC),
          Set.of(IpPrefix.parse("10.65.2.7/32")));

  @TempDir Path folder;
  private final ReadyEndpoints ready = new ReadyEndpoints();
  private TestCluster cluster;

  @BeforeEach
  void start() {
    cluster = TestCluster.embedded(folder.resolve("datastore"));
    cluster.node("node1", "192.168.7.1/24");
    cluster.pool("p", "10.65.0.0/16", _ -> {});
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private Path directory() {
    return folder.resolve("endpoint-status");
  }

  private TestAgent agent(Host host) {
    return new TestAgent(host, cluster.datastore(), "node1", folder, Map.of(), ready, null)
        .awaitSync();
  }

  private CompletableFuture<Boolean> wait(Duration limit) {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(ready.await(WEB, limit));
              } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  private static boolean answer(CompletableFuture<Boolean> wait) throws Exception {
    return wait.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  private static void addLink(Host host) {
    host.exec("ip", "link", "add", "cali1", "type", "veth", "peer", "name", "pod1");
    host.exec("ip", "link", "set", "pod1", "up");
    host.exec("ip", "link", "set", "cali1", "up");
  }

  @Test
  void aWaitEndsWhenTheEndpointIsReady(Host host) throws Exception {
    try (TestAgent _ = agent(host)) {
      Eventually.await("the agent answers", () -> ready.covers(directory()));
      CompletableFuture<Boolean> waiting = wait(LONG);
      cluster.endpoint("node1", "web", "cali1", MAC, "10.65.2.7/32");
      assertThat(ready.await(WEB, Duration.ofMillis(50))).as("without a link").isFalse();
      addLink(host);
      assertThat(answer(waiting)).isTrue();
      assertThat(host.exec("ip", "route", "show", "10.65.2.7").stdout())
          .as("the route is there when the wait ends")
          .contains("dev cali1");
    }
  }

  @Test
  void anEndpointWithOtherAddressesIsNotTheOneThatIsWaitedFor(Host host) throws Exception {
    addLink(host);
    cluster.endpoint("node1", "web", "cali1", MAC, "10.65.2.9/32");
    try (TestAgent agent = agent(host)) {
      Eventually.await("ready", () -> agent.status().readyEndpoints() == 1);
      assertThat(ready.await(WEB, Duration.ofMillis(50))).isFalse();
    }
  }

  @Test
  void aWaitGoesOnWithTheNextAgent(Host host) throws Exception {
    cluster.endpoint("node1", "web", "cali1", MAC, "10.65.2.7/32");
    CompletableFuture<Boolean> waiting;
    try (TestAgent _ = agent(host)) {
      Eventually.await("the agent answers", () -> ready.covers(directory()));
      waiting = wait(LONG);
    }
    assertThat(answer(waiting)).as("the agent has stopped").isFalse();
    assertThat(ready.covers(directory())).isFalse();
    addLink(host);
    try (TestAgent _ = agent(host)) {
      Eventually.await("the agent answers", () -> ready.covers(directory()));
      assertThat(answer(wait(LONG))).isTrue();
    }
  }
}
