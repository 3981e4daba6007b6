package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code ocicat cluster} as its users run it; nothing of it is left on the machine. */
class ClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir private Path directory;
  private Path launcher;
  private Set<String> before;

  @BeforeEach
  void install() throws IOException {
    launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
    before = traces();
  }

  @AfterEach
  void nothingIsLeftOnTheMachine() {
    assertThat(cluster("down").attempt().exitCode()).isZero();
    assertThat(traces()).isEqualTo(before);
    assertThat(directory.toFile().list()).containsExactly("distribution");
  }

  /**
   * Processes, mounts and links of clusters, by names that nothing else on the machine has. Each
   * cluster's processes name this test's distribution.
   */
  private Set<String> traces() {
    Set<String> found = new TreeSet<>();
    ProcessHandle.allProcesses()
        .filter(process -> commandLine(process).contains(directory.toString()))
        .forEach(process -> found.add("process " + process.pid()));
    Command.of("cat", "/proc/self/mounts")
        .run()
        .stdout()
        .lines()
        .filter(line -> line.contains("ocicat-cluster"))
        .forEach(found::add);
    found.addAll(
        Command.of("ip", "-j", "link").run().json().findValuesAsString("ifname").stream()
            .filter(name -> name.matches("underlay0|outside0|port\\d+|vxlan.calico"))
            .collect(Collectors.toSet()));
    return found;
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    } catch (IOException _) {
      return "";
    }
  }

  private Command cluster(String... args) {
    List<String> argv = new ArrayList<>(List.of(launcher.toString(), "cluster"));
    argv.addAll(List.of(args));
    return Command.of(argv)
        .env("OCICAT_RUN_DIR", directory.resolve("run").toString())
        .env("NO_COLOR", "1")
        .limit(LIMIT);
  }

  private Output on(String where, String... command) {
    List<String> args = new ArrayList<>(List.of("exec", where, "--"));
    args.addAll(List.of(command));
    return cluster(args.toArray(String[]::new)).run();
  }

  private void assertConnected(int pairs, int mtu) {
    Output printed = cluster("connectivity", "--json").attempt();
    assertThat(printed.exitCode()).as(printed.toString()).isZero();
    JsonNode all = printed.json();
    assertThat(all).hasSize(pairs);
    for (JsonNode pair : all) {
      assertThat(pair.path("ok").asBoolean()).as(pair.toString()).isTrue();
      boolean ofPod = (pair.path("from").asString() + pair.path("to").asString()).contains("/");
      assertThat(pair.path("mtu").asInt()).as(pair.toString()).isEqualTo(ofPod ? mtu : 1500);
    }
  }

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
