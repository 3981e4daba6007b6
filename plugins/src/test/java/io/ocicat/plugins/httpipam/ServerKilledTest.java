package io.ocicat.plugins.httpipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Killed with SIGKILL at any moment, the server loses nothing, and neither do its clients. */
@Hosts
class ServerKilledTest {
  @TempDir private Path directory;

  @Test
  void aBridgeKeepsItsAddressesAndGetsMore(Host node, Host pod1, Host pod2) throws Exception {
    try (ServerProcess server = ServerProcess.on(node, directory);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Attaching first = Attaching.of("bridge", node, pod1, bridge(server, 20));
      Attaching second = Attaching.of("bridge", node, pod2, bridge(server, 20));
      JsonNode result = first.add().ok();
      assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.9.0.5/24");

      server.kill();
      Future<JsonNode> waiting = threads.submit(() -> second.add().ok());
      server.restart();
      assertThat(waiting.get().at("/ips/0/address").asString())
          .as("the other one is remembered")
          .isEqualTo("10.9.0.6/24");
      pod1.exec("ping", "-c1", "-W2", "10.9.0.6");
      ObjectNode previous = config(server, 20);
      previous.set("prevResult", result);
      first.withConfig(Json.compact(previous)).check().ok();

      server.kill();
      CniException unreachable = second.withConfig(bridge(server, 0)).del().error();
      assertThat(unreachable.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
      assertThat(unreachable.msg()).contains("cannot reach the IPAM server " + server.url());
      assertThat(interfaces(pod2)).as("DEL does what it can").doesNotContain("eth0");
      server.restart();
      assertThat(server.allocated()).hasSize(2);
      second.del().ok();
      first.del().ok();

      assertThat(server.allocated()).isEmpty();
      assertThat(interfaces(node)).containsExactlyInAnyOrder("lo", "br0");
    }
  }

  @Test
  void aFailedAddLeavesNothingOnTheHost(Host node, Host pod) throws IOException {
    try (ServerProcess server = ServerProcess.on(node, directory)) {
      server.kill();
      Attaching eth0 = Attaching.of("bridge", node, pod, bridge(server, 0));
      for (int i = 0; i < 5; i++) {
        assertThat(eth0.add().error().code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
        assertThat(interfaces(pod)).containsExactly("lo");
        assertThat(interfaces(node)).doesNotContain("eth0").hasSizeLessThanOrEqualTo(2);
      }
      server.restart();
      eth0.del().ok();
      eth0.add().ok();
      eth0.del().ok();
      assertThat(server.allocated()).isEmpty();
    }
  }

  @Test
  void amongManyRequestsNoneIsLostOrAnsweredTwice() throws Exception {
    List<Future<String>> asked = new ArrayList<>();
    try (ServerProcess server = ServerProcess.onLoopback(directory);
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 120; i++) {
        Calling calling = Calling.of(config(server, 20), "c" + i);
        asked.add(threads.submit(() -> calling.ok("ADD").at("/ips/0/address").asString()));
      }
      for (int kills = 1; kills <= 3; kills++) {
        long enough = kills * 20L;
        Eventually.await(
            "some answers",
            Duration.ofSeconds(60),
            () -> asked.stream().filter(Future::isDone).count() >= enough);
        server.kill();
        server.restart();
      }
      List<String> got = new ArrayList<>();
      for (Future<String> each : asked) {
        got.add(each.get());
      }
      assertThat(got).doesNotHaveDuplicates().hasSize(120);
      assertThat(server.allocated())
          .as("nothing is held that nobody was told of")
          .containsExactlyInAnyOrderElementsOf(got);
    }
  }

  private static ObjectNode config(ServerProcess server, int retries) {
    ObjectNode config = server.config().put("bridge", "br0");
    ((ObjectNode) config.get("ipam")).put("retries", retries);
    return config;
  }

  private static String bridge(ServerProcess server, int retries) {
    return Json.compact(config(server, retries));
  }

  private static List<String> interfaces(Host host) {
    List<String> names = new ArrayList<>();
    for (JsonNode link : host.json("ip", "-j", "link", "show")) {
      names.add(link.path("ifname").asString());
    }
    return names;
  }
}
