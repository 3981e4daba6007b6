package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code ocicat cluster} as its users run it. */
class ClusterTest extends ClusterSuite {
  @Test
  void aClusterFromUpToDown() {
    cluster("up", "--nodes", "3", "--pods", "1").run();

    Output again = cluster("up", "--nodes", "2").attempt();
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.stderr())
        .isEqualTo(
            "ocicat: cluster \"ocicat\" is up already, with other options: 3 nodes, network calico,"
                + " embedded datastore; end it with `ocicat cluster down`, or give another --name\n");

    JsonNode status = cluster("status", "--json").run().json();
    assertThat(status.path("nodes").valueStream().map(node -> node.path("name").asString()))
        .containsExactly("node-1", "node-2", "node-3");
    JsonNode pod = status.at("/nodes/1/pods/0");
    assertThat(pod.path("namespace").asString()).isEqualTo("default");
    assertThat(pod.path("name").asString()).isEqualTo("web-2");
    assertThat(pod.at("/labels/app").asString()).isEqualTo("web");
    assertThat(pod.path("health").asString()).isEqualTo("ready");

    assertThat(on("node-2", "hostname").stdout()).isEqualTo("node-2\n");
    String address = pod.at("/addresses/0").asString();
    assertThat(on("default/web-2", "ip", "-br", "address", "show", "eth0").stdout())
        .contains(address);
    assertThat(on("node-1", "ocicat", "get", "nodes").stdout()).contains("node-3");
    assertThat(cluster("exec", "node-1", "--", "sh", "-c", "exit 7").attempt().exitCode())
        .isEqualTo(7);
    assertThat(cluster("exec", "node-9", "--", "true").attempt().stderr())
        .contains("has no node node-9: it has node-1, node-2, node-3");

    cluster("node", "stop", "node-3", "--kill").run();
    Output stopped = cluster("status").attempt();
    assertThat(stopped.exitCode()).isEqualTo(1);
    assertThat(stopped.stdout()).contains("ocicat node does not run");
    // Each of 3 pods and 3 nodes to the 5 others, and outside: what the agent made stays.
    assertConnected(36, 1500);
    cluster("node", "start", "node-3").run();
    cluster("node", "remove", "node-3").run();
    cluster("node", "add", "node-4", "--pods", "1").run();
    assertConnected(36, 1500);

    assertThat(cluster("down").run().stdout()).isEqualTo("cluster \"ocicat\" is gone\n");
    assertThat(cluster("status").attempt().stderr())
        .isEqualTo("ocicat: no cluster \"ocicat\" is up: start one with `ocicat cluster up`\n");
  }

  @Test
  void overVxlanWithBothFamiliesOnEtcd() {
    cluster("up", "--pods", "1", "--network", "calico-vxlan", "--dual-stack", "--datastore", "etcd")
        .run();

    assertConnected(36, 1430);
    assertThat(on("node-1", "ip", "-d", "link", "show", "vxlan.calico").stdout())
        .contains("vxlan id 4096");
  }

  @Test
  void theDemoShowsAClusterAndLeavesNothing() {
    JsonNode facts =
        Command.of(launcher.toString(), "demo", "--nodes", "2", "--json")
            .env("OCICAT_RUN_DIR", directory.resolve("run").toString())
            .limit(LIMIT)
            .run()
            .json();

    assertThat(facts.at("/cluster/nodes")).hasSize(2);
    assertThat(facts.path("pairs")).hasSize(36);
    assertThat(facts.path("routes").findValuesAsString("gateway")).contains("192.0.2.12");
  }

  @ParameterizedTest
  @ValueSource(strings = {"creating 2 nodes", "running 1 pod"})
  void whatIsKilledOnItsWayUpLeavesNothing(String step) {
    try (Background up = cluster("up", "--nodes", "2", "--pods", "1").start()) {
      Eventually.await("it is at " + step, LIMIT, () -> up.stderr().contains(step));
      Command.of("kill", "-KILL", String.valueOf(up.pid())).run();
      Eventually.await("it ended", LIMIT, () -> !up.isAlive());
    }
  }

  @Test
  void aDownWhileItComesUpEndsBoth() {
    try (Background up = cluster("up", "--nodes", "1").start()) {
      Eventually.await("it starts", LIMIT, () -> up.stderr().contains("starting ocicat node"));
      cluster("down").run();
      Eventually.await("it ended", LIMIT, () -> !up.isAlive());
    }
  }
}
